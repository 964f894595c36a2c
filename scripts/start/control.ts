export type Statement = { sql: string; values?: (string | number | null)[] }
type Row = Record<string, unknown>

export type Control = {
	/** All of them in one transaction; the rows of each. */
	query(...statements: Statement[]): Promise<Row[][]>
	runScheduled(cron: string, scheduledFor: Date): Promise<void>
	/** Until then every request from outside is answered 503. */
	openDoor(): Promise<void>
}

/** Speaks with control.mjs. */
export function controlAt(url: URL, secret: string): Control {
	const ask = async (question: object) => {
		const response = await fetch(url, {
			method: 'POST',
			headers: { authorization: secret },
			body: JSON.stringify(question),
		})
		const answer: unknown = await response.json()
		if (response.ok) return answer
		throw new Error((answer as { error: string }).error)
	}
	return {
		query: async (...statements) => (await ask({ statements })) as Row[][],
		async runScheduled(cron, scheduledFor) {
			const { outcome } = (await ask({ scheduled: { cron, scheduledFor } })) as { outcome: string }
			if (outcome !== 'ok') throw new Error(`the scheduled run ${cron} ended with: ${outcome}`)
		},
		async openDoor() {
			await ask({ open: true })
		},
	}
}

export type Statement = { sql: string; values?: (string | number | null)[] }
type Row = Record<string, unknown>
type Table = { columns: string[]; rows: (string | number | null)[][] }

export type Control = {
	/** Runs all statements in one transaction and returns the rows of each. */
	query(...statements: Statement[]): Promise<Row[][]>
	/** Runs statements one after another and returns their columns in order. D1 has no transaction that keeps the order. */
	read(...statements: Statement[]): Promise<Table[]>
	runScheduled(cron: string, scheduledFor: Date): Promise<void>
}

/** Returns a client of control.mjs. */
export function openControl(url: URL, secret: string): Control {
	const send = async (command: object) => {
		const response = await fetch(url, {
			method: 'POST',
			headers: { authorization: secret },
			body: JSON.stringify(command),
		})
		const answer: unknown = await response.json()
		if (response.ok) return answer
		throw new Error((answer as { error: string }).error)
	}
	return {
		query: async (...statements) => (await send({ statements })) as Row[][],
		read: async (...reads) => (await send({ reads })) as Table[],
		async runScheduled(cron, scheduledFor) {
			const { outcome } = (await send({ scheduled: { cron, scheduledFor } })) as { outcome: string }
			if (outcome !== 'ok') throw new Error(`the scheduled run ${cron} ended with: ${outcome}`)
		},
	}
}

/** Returns a client that looks the address up for each call, because every reload changes it. */
export const deferControl = (current: () => Promise<Control>): Control => ({
	query: async (...statements) => (await current()).query(...statements),
	read: async (...statements) => (await current()).read(...statements),
	runScheduled: async (cron, scheduledFor) => (await current()).runScheduled(cron, scheduledFor),
})

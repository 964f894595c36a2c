import {
	cancelAccountDeletion,
	getDeletionStatus,
	requestAccountDeletion,
} from '#schema/contract/operations/account-deletion.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person } from '../../../support/edge/world.ts'

export type Sent = { to: string; subject: string; text: string; html: string }

/** Opens a world that keeps its mails, with helpers for the steps of a deletion. */
export async function openDeletionWorld(
	vars: Record<string, string> = {},
	more: Parameters<typeof openWorld>[1] = {},
) {
	const sent: Sent[] = []
	let shouldFail = () => false
	const binding = {
		send: async (mail: Sent) => {
			if (shouldFail()) throw new Error('the mail server is unavailable')
			sent.push(mail)
			return { messageId: String(sent.length) }
		},
	}
	const world = await openWorld({ EMAIL: binding, ...vars } as unknown as Record<string, string>, more)

	/** Delivers messages until the queue is empty. Delivers failed messages again, as the queue does. */
	async function settle(maxRounds = 200): Promise<void> {
		for (let round = 0; world.messages.length > 0; round++) {
			if (round === maxRounds) throw new Error('the queue does not become empty')
			const batch = world.messages.splice(0)
			const { retryMessages } = await world.deliver(batch)
			const again = new Set(retryMessages.map(({ msgId }) => Number(msgId.split('-').at(-1))))
			world.messages.push(...batch.filter((_, i) => again.has(i)))
		}
	}

	return {
		...world,
		get now() {
			return world.now
		},
		sent,
		settle,
		failMails: (when: () => boolean) => {
			shouldFail = when
		},
		mailsTo: (email: string) => sent.filter(({ to }) => to === email),
		request: (who: Person, body: Record<string, unknown> = {}, ip = '203.0.113.7') =>
			world.ask(requestAccountDeletion, { body: { confirm_email: who.email, ...body } }, { ...who, ip }),
		cancel: (who: { token: string }, token: unknown, ip = '203.0.113.8') =>
			world.ask(cancelAccountDeletion, { body: { token } as { token: string } }, { token: who.token, ip }),
		status: (who: { token: string }) => world.ask(getDeletionStatus, {}, who),
		/** Returns the token in the newest mail to a user. */
		async readMailedToken(who: { email: string }): Promise<string> {
			await settle()
			const mail = sent.findLast(
				({ to, text }) => to === who.email && text.includes('/cancel-deletion?token='),
			)
			const token = /\/cancel-deletion\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
			if (!token) throw new Error(`no link was mailed to ${who.email}`)
			return token
		},
		/** Lets the grace period pass and runs the sweep and the queue. */
		async execute(): Promise<void> {
			await settle()
			world.pass(30 * DAY)
			await world.cron('*/10 * * * *')
			await settle()
		},
		rows: <Row = Record<string, unknown>>(sql: string) => world.deps((d) => d.db.all<Row>(sql)),
	}
}

export type DeletionWorld = Awaited<ReturnType<typeof openDeletionWorld>>

import {
	cancelAccountDeletion,
	getDeletionStatus,
	requestAccountDeletion,
} from '#schema/contract/platform/account-deletion.ts'
import { DAY } from '../../../edge/platform/clock.ts'
import { openWorld, type Person } from '../../support/edge/world.ts'

export type Sent = { to: string; subject: string; text: string; html: string }

/** A world whose mails are kept, and the steps that every story about a deletion is made of. */
export async function openDeletionWorld(
	vars: Record<string, string> = {},
	more: Parameters<typeof openWorld>[1] = {},
) {
	const sent: Sent[] = []
	let refusals = () => false
	const binding = {
		send: async (mail: Sent) => {
			if (refusals()) throw new Error('the mail server is out')
			sent.push(mail)
			return { messageId: String(sent.length) }
		},
	}
	const world = await openWorld({ EMAIL: binding, ...vars } as unknown as Record<string, string>, more)

	/** Delivers until nothing is left; what fails is delivered again, as the queue would. */
	async function settle(maxRounds = 200): Promise<void> {
		for (let round = 0; world.messages.length > 0; round++) {
			if (round === maxRounds) throw new Error('the queue does not come to rest')
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
			refusals = when
		},
		mailsTo: (email: string) => sent.filter(({ to }) => to === email),
		request: (who: Person, body: Record<string, unknown> = {}, ip = '203.0.113.7') =>
			world.ask(requestAccountDeletion, { body: { confirm_email: who.email, ...body } }, { ...who, ip }),
		cancel: (who: { token: string }, token: unknown, ip = '203.0.113.8') =>
			world.ask(cancelAccountDeletion, { body: { token } as { token: string } }, { token: who.token, ip }),
		status: (who: { token: string }) => world.ask(getDeletionStatus, {}, who),
		/** The token in the newest mail to someone. */
		async tokenOf(who: { email: string }): Promise<string> {
			await settle()
			const mail = sent.findLast(
				({ to, text }) => to === who.email && text.includes('/cancel-deletion?token='),
			)
			const token = /\/cancel-deletion\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
			if (!token) throw new Error(`no link was mailed to ${who.email}`)
			return token
		},
		/** The grace period goes by; sweep and queue do the rest. */
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

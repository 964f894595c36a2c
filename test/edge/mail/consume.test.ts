import { beforeEach, describe, expect, it } from 'vitest'
import type { SendCode, SendMail } from '#schema/contract/messages.ts'
import { inviteMember } from '#schema/contract/orgs.ts'
import { CLAIM_MS } from '../../../edge/mail/consume.ts'
import { mailStore } from '../../../edge/mail/store.ts'
import { DAY, MINUTE } from '../../../edge/platform/clock.ts'
import { openWorld, type World } from '../world.ts'

type Sent = { to: string; subject: string; text: string }

/** Stands where mails leave: keeps them, and lets a test say what becomes of the next one. */
function openOutlet() {
	const sent: Sent[] = []
	let next: ((mail: Sent) => Promise<void>) | null = null
	const send = async (mail: Sent) => {
		const act = next
		next = null
		await act?.(mail)
		sent.push(mail)
		return { messageId: String(sent.length) }
	}
	return {
		sent,
		/** An object without the runtime's prototype, so that it passes for a binding. */
		binding: { send },
		onNext: (act: (mail: Sent) => Promise<void>) => {
			next = act
		},
	}
}

let world: World
let outlet: ReturnType<typeof openOutlet>

async function open(vars: Record<string, string> = {}) {
	outlet = openOutlet()
	world = await openWorld({ EMAIL: outlet.binding, ...vars } as unknown as Record<string, string>)
}
beforeEach(() => open())

const mail: SendMail = {
	type: 'mail.send',
	id: 'msg_1',
	to: 'ann@example.org',
	subject: 'Hello',
	text: 'Hello.',
	html: '<p>Hello.</p>',
}

let codes = 0
const codeFor = (email: string, lifeMs = 10 * MINUTE): SendCode => ({
	type: 'code.send',
	id: `otp_${codes++}`,
	email,
	code: '012345',
	expiresAt: world.now + lifeMs,
})

const acknowledged = async (messages: Parameters<World['deliver']>[0]) => {
	const { explicitAcks, retryMessages } = await world.deliver(messages)
	return { acks: explicitAcks.length, retries: retryMessages.length }
}

describe('a mail that the queue delivers more than once', () => {
	it('is sent once when the second delivery comes later', async () => {
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(await acknowledged([mail, mail])).toEqual({ acks: 2, retries: 0 })
		expect(outlet.sent).toHaveLength(1)
	})

	it('is sent once when both deliveries come at the same time; the second one comes back later', async () => {
		let second: Awaited<ReturnType<typeof acknowledged>> | undefined
		outlet.onNext(async () => {
			second = await acknowledged([mail])
		})
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(second).toEqual({ acks: 0, retries: 1 })
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(outlet.sent).toHaveLength(1)
	})

	it('is sent once however many deliveries race', async () => {
		const results = await Promise.all(Array.from({ length: 8 }, () => acknowledged([mail])))
		expect(results.reduce((sum, { acks }) => sum + acks, 0)).toBeGreaterThan(0)
		expect(outlet.sent).toHaveLength(1)
	})

	it('is sent by a later delivery when the first one died at work', async () => {
		// What an isolate leaves behind that was stopped between its claim and the server's yes.
		await world.deps(({ db, now }) => mailStore(db).claim(mail.id, now, now + CLAIM_MS))
		world.pass(CLAIM_MS - 1)
		expect(await acknowledged([mail])).toEqual({ acks: 0, retries: 1 })
		world.pass(1)
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(outlet.sent).toHaveLength(1)
	})

	it('is tried again at the next delivery when it was refused, without waiting for a claim to lapse', async () => {
		outlet.onNext(() => Promise.reject(new Error('email to ann@example.org not allowed')))
		expect(await acknowledged([mail])).toEqual({ acks: 0, retries: 1 })
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(outlet.sent).toHaveLength(1)
	})

	it('leaves no address in the logs', async () => {
		outlet.onNext(() => Promise.reject(new Error('email to ann@example.org not allowed')))
		await world.deliver([mail, codeFor('bob@example.org')])
		await world.deliver([mail])
		expect(outlet.sent).toHaveLength(2)
		expect(JSON.stringify(world.logs)).not.toMatch(/ann@|bob@|012345|Hello\./)
	})
})

describe('a code', () => {
	it('signs in whom the installation knows, and signs up whom it does not', async () => {
		await world.person({ email: 'ann@example.org' })
		await world.deliver([codeFor('ann@example.org'), codeFor('bob@example.org')])
		expect(outlet.sent.map(({ to, subject }) => `${to}: ${subject}`)).toEqual([
			'ann@example.org: Your code to sign in to Playhouse',
			'bob@example.org: Your code to sign up to Playhouse',
		])
		expect(outlet.sent[0]?.text).toContain('012345')
	})

	it('says how long it still works, and is not sent any more when it does not', async () => {
		const late = codeFor('ann@example.org', 2 * MINUTE + 1)
		const gone = { ...codeFor('ann@example.org', 0), id: 'otp_gone' }
		expect(await acknowledged([late, gone])).toEqual({ acks: 2, retries: 0 })
		expect(outlet.sent).toHaveLength(1)
		expect(outlet.sent[0]?.text).toContain('for 3 minutes')
	})

	it('where registration is closed is only sent to people who are known', async () => {
		await world.person({ email: 'ann@example.org' })
		world.set({ REGISTRATION_ENABLED: 'false' })
		const both = [codeFor('ann@example.org'), codeFor('bob@example.org')]
		expect(await acknowledged(both)).toEqual({ acks: 2, retries: 0 })
		expect(outlet.sent.map(({ to }) => to)).toEqual(['ann@example.org'])
	})

	it('is only sent to strangers of an allowed mail domain, not of one that ends like it', async () => {
		world.set({ REGISTRATION_ALLOWED_DOMAINS: 'example.org, Example.com' })
		const addresses = [
			'a@example.org',
			'b@example.com',
			'c@notexample.org',
			'd@sub.example.org',
			'e@example.net',
		]
		await world.deliver(addresses.map((address) => codeFor(address)))
		expect(outlet.sent.map(({ to }) => to)).toEqual(['a@example.org', 'b@example.com'])
	})

	it('is sent to a stranger with an open invitation, until that is over', async () => {
		const owner = await world.person({ email: 'ann@example.org' })
		const body = { email: 'bob@example.org', role: 'member' as const }
		const invited = await world.ask(
			inviteMember,
			{ params: { orgId: owner.orgId }, body },
			{ token: owner.token },
		)
		expect(invited.status).toBe(201)
		world.set({ REGISTRATION_ENABLED: 'false' })
		await world.deliver([codeFor('bob@example.org')])
		expect(outlet.sent.map(({ to }) => to)).toEqual(['bob@example.org'])
		world.pass(8 * DAY)
		await world.deliver([{ ...codeFor('bob@example.org'), id: 'otp_later' }])
		expect(outlet.sent).toHaveLength(1)
	})
})

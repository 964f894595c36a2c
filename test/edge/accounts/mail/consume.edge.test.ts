import { beforeEach, describe, expect, it } from 'vitest'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import type { SendCode, SendMail } from '#schema/contract/messages.ts'
import { CLAIM_MS } from '../../../../edge/accounts/mail/consume.ts'
import { mailStore } from '../../../../edge/accounts/mail/store.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

type Sent = { to: string; subject: string; text: string }

/** Fakes the mail binding: records mails, and lets a test decide what happens to the next one. */
function openFakeMailer() {
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
		/** A plain object, so that it passes for a binding. */
		binding: { send },
		onNext: (act: (mail: Sent) => Promise<void>) => {
			next = act
		},
	}
}

let world: World
let mailer: ReturnType<typeof openFakeMailer>

async function open(vars: Record<string, string> = {}) {
	mailer = openFakeMailer()
	world = await openWorld({ EMAIL: mailer.binding, ...vars } as unknown as Record<string, string>)
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

describe('repeated deliveries of a mail', () => {
	it('a mail is sent once when the second delivery comes later', async () => {
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(await acknowledged([mail, mail])).toEqual({ acks: 2, retries: 0 })
		expect(mailer.sent).toHaveLength(1)
	})

	it('a mail is sent once when two deliveries overlap, and the second one is retried', async () => {
		let second: Awaited<ReturnType<typeof acknowledged>> | undefined
		mailer.onNext(async () => {
			second = await acknowledged([mail])
		})
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(second).toEqual({ acks: 0, retries: 1 })
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(mailer.sent).toHaveLength(1)
	})

	it('a mail is sent once when eight deliveries race', async () => {
		const results = await Promise.all(Array.from({ length: 8 }, () => acknowledged([mail])))
		expect(results.reduce((sum, { acks }) => sum + acks, 0)).toBeGreaterThan(0)
		expect(mailer.sent).toHaveLength(1)
	})

	it('a mail is sent by a later delivery when the first one died before sending', async () => {
		// The state that an isolate leaves when it stops between its claim and the server's acceptance.
		await world.deps(({ db, now }) => mailStore(db).claim(mail.id, now, now + CLAIM_MS))
		world.pass(CLAIM_MS - 1)
		expect(await acknowledged([mail])).toEqual({ acks: 0, retries: 1 })
		world.pass(1)
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(mailer.sent).toHaveLength(1)
	})

	it('a rejected mail is retried at the next delivery without waiting for the claim to expire', async () => {
		mailer.onNext(() => Promise.reject(new Error('email to ann@example.org not allowed')))
		expect(await acknowledged([mail])).toEqual({ acks: 0, retries: 1 })
		expect(await acknowledged([mail])).toEqual({ acks: 1, retries: 0 })
		expect(mailer.sent).toHaveLength(1)
	})

	it('the delivery of mails logs no addresses, codes or texts', async () => {
		mailer.onNext(() => Promise.reject(new Error('email to ann@example.org not allowed')))
		await world.deliver([mail, codeFor('bob@example.org')])
		await world.deliver([mail])
		expect(mailer.sent).toHaveLength(2)
		expect(JSON.stringify(world.logs)).not.toMatch(/ann@|bob@|012345|Hello\./)
	})
})

describe('code mails', () => {
	it('a known address gets a sign-in code, and an unknown one a sign-up code', async () => {
		await world.person({ email: 'ann@example.org' })
		await world.deliver([codeFor('ann@example.org'), codeFor('bob@example.org')])
		expect(mailer.sent.map(({ to, subject }) => `${to}: ${subject}`)).toEqual([
			'ann@example.org: Your code to sign in to Playhouse',
			'bob@example.org: Your code to sign up for Playhouse',
		])
		expect(mailer.sent[0]?.text).toContain('012345')
	})

	it('the mail of a code states the remaining lifetime, and an expired code is not sent', async () => {
		const late = codeFor('ann@example.org', 2 * MINUTE + 1)
		const gone = { ...codeFor('ann@example.org', 0), id: 'otp_gone' }
		expect(await acknowledged([late, gone])).toEqual({ acks: 2, retries: 0 })
		expect(mailer.sent).toHaveLength(1)
		expect(mailer.sent[0]?.text).toContain('expires in 3 minutes')
	})

	it('codes are sent only to existing users while registration is closed', async () => {
		await world.person({ email: 'ann@example.org' })
		world.set({ REGISTRATION_ENABLED: 'false' })
		const both = [codeFor('ann@example.org'), codeFor('bob@example.org')]
		expect(await acknowledged(both)).toEqual({ acks: 2, retries: 0 })
		expect(mailer.sent.map(({ to }) => to)).toEqual(['ann@example.org'])
	})

	it('sign-up codes are sent only to allowed domains, not to subdomains or look-alikes', async () => {
		world.set({ REGISTRATION_ALLOWED_DOMAINS: 'example.org, Example.com' })
		const addresses = [
			'a@example.org',
			'b@example.com',
			'c@notexample.org',
			'd@sub.example.org',
			'e@example.net',
		]
		await world.deliver(addresses.map((address) => codeFor(address)))
		expect(mailer.sent.map(({ to }) => to)).toEqual(['a@example.org', 'b@example.com'])
	})

	it('an invited address gets a sign-up code until the invitation expires', async () => {
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
		expect(mailer.sent.map(({ to }) => to)).toEqual(['bob@example.org'])
		world.pass(8 * DAY)
		await world.deliver([{ ...codeFor('bob@example.org'), id: 'otp_later' }])
		expect(mailer.sent).toHaveLength(1)
	})
})

import { beforeEach, describe, expect, test } from 'vitest'
import { confirmEmailChange, requestEmailChange } from '#schema/contract/accounts/email-addresses.ts'
import { changePassword, getMe, login, sendCode, verifyCode } from '#schema/contract/accounts/identity.ts'
import { inviteMember, listInvitations } from '#schema/contract/accounts/org-members.ts'
import type { MessageByType } from '#schema/contract/messages.ts'
import { codeSentTo } from '../../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'

const MINUTE = 60_000
const newEmail = 'ada@new.example'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person({ email: 'ada@example.org' })
})

const request = (who: Person, more: { newEmail?: string; currentPassword?: string } = {}) =>
	world.ask(requestEmailChange, { body: { newEmail, currentPassword: who.password, ...more } }, who)
const confirm = (
	who: { token: string },
	codes: { newEmail?: string; newCode: string; currentCode?: string },
) => world.ask(confirmEmailChange, { body: { newEmail, ...codes } }, who)
const sentCodes = () => ({ newCode: codeSentTo(world, newEmail), currentCode: codeSentTo(world, ada.email) })
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const statusOf = async (token: string) => (await world.ask(getMe, {}, { token })).status

describe('an address change', () => {
	test('an address change ends all other sessions and every token, and the new address alone signs in', async () => {
		const elsewhere = await world.logIn(ada)
		expect((await request(ada)).status).toBe(200)
		const changed = (await confirm(ada, sentCodes())).ok.data
		expect(changed.user).toMatchObject({ id: ada.userId, email: newEmail, emailVerified: true })
		expect(changed.org?.id).toBe(ada.orgId)
		expect([await statusOf(changed.token), await statusOf(ada.token), await statusOf(elsewhere)]).toEqual([
			200, 401, 401,
		])
		const { password } = ada
		expect((await world.ask(login, { body: { email: ada.email, password } })).status).toBe(401)
		expect(await world.logIn({ email: newEmail, password })).toEqual(expect.any(String))
	})

	test('an address change requires the right password, or a sign-in by code within the last 10 minutes', async () => {
		expect((await world.ask(requestEmailChange, { body: { newEmail } }, ada)).status).toBe(400)
		expect((await request(ada, { currentPassword: 'wrong password' })).status).toBe(403)
		await world.ask(sendCode, { body: { email: ada.email } })
		const code = codeSentTo(world, ada.email)
		const { token } = (await world.ask(verifyCode, { body: { email: ada.email, code } })).ok.data
		const byCode = () => world.ask(requestEmailChange, { body: { newEmail } }, { token })
		world.pass(10 * MINUTE)
		expect((await byCode()).status).toBe(400)
		expect(world.messages.filter((m) => m.type === 'code.send' && m.purpose !== undefined)).toEqual([])
		world.pass(MINUTE)
		await world.ask(sendCode, { body: { email: ada.email } })
		const again = codeSentTo(world, ada.email)
		const fresh = (await world.ask(verifyCode, { body: { email: ada.email, code: again } })).ok.data
		expect((await world.ask(requestEmailChange, { body: { newEmail } }, fresh)).status).toBe(200)
	})

	test('an address change needs the codes from both mailboxes', async () => {
		await request(ada)
		const { newCode, currentCode } = sentCodes()
		expect((await confirm(ada, { newCode })).status).toBe(400)
		expect((await confirm(ada, { newCode, currentCode: other(currentCode) })).status).toBe(403)
		expect((await confirm(ada, { newCode: other(newCode), currentCode })).status).toBe(403)
		if (newCode !== currentCode)
			expect((await confirm(ada, { newCode: currentCode, currentCode: newCode })).status).toBe(403)
		expect((await confirm(ada, { newCode, currentCode })).status).toBe(200)
		expect((await confirm(ada, { newCode, currentCode })).status).toBe(401)
	})

	test('an address change rejects codes for another address or another account, and expired codes', async () => {
		const bob = await world.person({ email: 'bob@example.org' })
		await request(ada)
		const codes = sentCodes()
		expect((await confirm(ada, { ...codes, newEmail: 'eve@new.example' })).status).toBe(403)
		expect((await confirm(bob, codes)).status).toBe(403)
		world.pass(10 * MINUTE)
		expect((await confirm(ada, codes)).status).toBe(403)
	})

	test('an address change does not reveal whether the new address has an account', async () => {
		const bob = await world.person({ email: 'bob@example.org' })
		const free = await request(ada)
		world.pass(MINUTE)
		const taken = await request(ada, { newEmail: bob.email })
		expect([taken.status, taken.text]).toEqual([free.status, free.text])
		expect(taken.statements).toEqual(free.statements)
		const codes = { newCode: codeSentTo(world, bob.email), currentCode: codeSentTo(world, ada.email) }
		// The owner of that mailbox may learn that it has an account.
		expect((await confirm(ada, { ...codes, newEmail: bob.email })).status).toBe(409)
		expect(await statusOf(ada.token)).toBe(200)
	})

	test('a session that a password change ended cannot confirm an address change', async () => {
		await request(ada)
		const codes = sentCodes()
		const body = { currentPassword: ada.password, newPassword: 'another long one' }
		expect((await world.ask(changePassword, { body }, ada)).status).toBe(200)
		expect((await confirm(ada, codes)).status).toBe(401)
	})

	test('an address change happens once when several confirmations arrive at once', async () => {
		await request(ada)
		const codes = sentCodes()
		const answers = await Promise.all(Array.from({ length: 4 }, () => confirm(ada, codes)))
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
	})

	test('an address change deletes invitations to the former address and moves accepted ones to the new one', async () => {
		const root = await world.person()
		const params = { orgId: root.orgId }
		await world.ask(inviteMember, { params, body: { email: ada.email } }, root)
		await world.deps(({ db }) =>
			db.all("update org_invitations set accepted_at = 1 where email = 'ada@example.org' returning 1"),
		)
		await world.ask(inviteMember, { params, body: { email: ada.email } }, root)
		await request(ada)
		expect((await confirm(ada, sentCodes())).status).toBe(200)
		const { data } = (await world.ask(listInvitations, { params, query: {} }, root)).ok
		expect(data.map(({ email, status }) => [email, status])).toEqual([[newEmail, 'accepted']])
		const left = await world.dump()
		expect(
			JSON.stringify([left.otp_codes, left.address_codes, left.org_invitations, left.users]),
		).not.toContain('ada@example.org')
	})

	test('an address change from an unverified address needs the new code alone, and keeps its invitations', async () => {
		const root = await world.person()
		const typo = await world.person({ email: 'ada@exmaple.org', verified: false })
		const params = { orgId: root.orgId }
		await world.ask(inviteMember, { params, body: { email: typo.email } }, root)
		await request(typo)
		const changed = (await confirm(typo, { newCode: codeSentTo(world, newEmail) })).ok.data
		expect(changed.user).toMatchObject({ email: newEmail, emailVerified: true })
		const { data } = (await world.ask(listInvitations, { params, query: {} }, root)).ok
		expect(data.map(({ email, status }) => [email, status])).toEqual([[typo.email, 'open']])
	})

	test('an address change rejects a mail domain that may not sign up', async () => {
		world.set({ REGISTRATION_ALLOWED_DOMAINS: 'example.org' })
		expect((await request(ada)).code).toBe('registration_closed')
		expect((await request(ada, { newEmail: 'countess@example.org' })).status).toBe(200)
	})

	test('an address change can be requested at most ten times a day', async () => {
		const statuses: number[] = []
		for (let i = 0; i < 11; i++) {
			statuses.push((await request(ada, { newEmail: `ada${i}@new.example` })).status)
			world.pass(61 * MINUTE)
		}
		expect(statuses).toEqual([...Array(10).fill(200), 429])
	})

	test('an address change sends one notice to the former address', async () => {
		await request(ada)
		await confirm(ada, sentCodes())
		const happened = world.messages.filter((m) => m.type === 'event.happened')
		world.messages.length = 0
		await world.deliver([...happened, ...happened])
		const mails = world.messages.filter((m): m is MessageByType<'mail.send'> => m.type === 'mail.send')
		const changed = mails.filter(({ subject }) => subject.includes('address'))
		expect(new Set(changed.map(({ id }) => id)).size).toBe(1)
		expect(changed[0]).toMatchObject({ to: ada.email })
		expect(changed[0]?.text).toContain(newEmail)
		const [outbox] = await world.deps(({ db }) =>
			db.all<{ payload: string }>("select payload from outbox where type = 'account.email_changed'"),
		)
		expect(outbox?.payload).not.toContain(ada.email)
	})
})

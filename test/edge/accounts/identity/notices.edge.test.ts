import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { changePassword, login, sendCode, signup, verifyCode } from '#schema/contract/accounts/identity.ts'
import { acceptInvitation, inviteMember } from '#schema/contract/accounts/org-members.ts'
import { logout } from '#schema/contract/accounts/sessions.ts'
import type { Message, MessageByType } from '#schema/contract/messages.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { codeSentTo, invitationTokenIn } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
/** The IP address from which the fixture signs up its first person. */
const home = { ip: '198.51.100.1' }
const signIn = (who: Person, from: Who = home) =>
	world.ask(login, { body: { email: who.email, password: who.password } }, from)

beforeEach(async () => {
	world = await openWorld()
	ada = await world.person({ email: 'ada@example.org' })
	await notices()
})

/** Returns the mails caused by events since the last call. Delivers each message twice. */
async function notices(): Promise<MessageByType<'mail.send'>[]> {
	const happened = world.messages.splice(0).filter(({ type }) => type === 'event.happened')
	await Promise.all([world.deliver(happened), world.deliver(happened)])
	const mails = world.messages.splice(0).filter((m: Message) => m.type === 'mail.send')
	// Messages with the same id are sent as one mail (test/edge/accounts/mail/consume.edge.test.ts).
	return [...new Map(mails.map((mail) => [mail.id, mail])).values()]
}
const toAda = async () => (await notices()).filter(({ to }) => to === ada.email)
const recipientsAndSubjects = (mails: { to: string; subject: string }[]) =>
	mails.map(({ to, subject }) => [to, subject])

describe('a new sign-in', () => {
	const subject = 'New sign-in to your Playhouse account'

	test('a new sign-in causes one notice for each new network and each new browser', async () => {
		await signIn(ada)
		expect(await toAda()).toEqual([])
		const away = { ip: '203.0.113.9', headers: { 'user-agent': 'Firefox/1.0' } }
		await signIn(ada, away)
		const [mail, ...more] = await toAda()
		expect([mail?.subject, more]).toEqual([subject, []])
		expect(mail?.text).toContain('203.0.113.9')
		expect(mail?.text).toContain('“Firefox/1')
		await signIn(ada, away)
		await signIn(ada, { ip: '203.0.113.77', headers: { 'user-agent': 'Firefox/2.1' } })
		expect(await toAda()).toEqual([])
		await signIn(ada, { ip: '203.0.113.9', headers: { 'user-agent': 'curl/8' } })
		expect(recipientsAndSubjects(await toAda())).toEqual([[ada.email, subject]])
	})

	test('a new sign-in causes a notice even if the session ends at once', async () => {
		const { token } = (await signIn(ada, { ip: '203.0.113.9' })).ok.data
		await world.ask(logout, {}, { token })
		expect(recipientsAndSubjects(await toAda())).toEqual([[ada.email, subject]])
	})

	test('ten concurrent sign-ins cause one notice', async () => {
		await Promise.all(Array.from({ length: 10 }, () => signIn(ada, { ip: '203.0.113.9' })))
		expect(recipientsAndSubjects(await toAda())).toEqual([[ada.email, subject]])
	})

	test('a sign-in after half a year of absence causes a notice again', async () => {
		await signIn(ada, { ip: '203.0.113.9' })
		await toAda()
		world.pass(181 * DAY)
		await world.cron('17 3 * * *')
		await signIn(ada, { ip: '203.0.113.9' })
		expect(recipientsAndSubjects(await toAda())).toEqual([[ada.email, subject]])
	})

	test('a failed sign-in causes no notice, and its origin stays new', async () => {
		const body = { email: ada.email, password: 'wrong password' }
		expect((await world.ask(login, { body }, { ip: '203.0.113.9' })).status).toBe(401)
		expect(await toAda()).toEqual([])
		await signIn(ada, { ip: '203.0.113.9' })
		expect(recipientsAndSubjects(await toAda())).toEqual([[ada.email, subject]])
	})

	test('a new sign-in causes no notice to an unverified address', async () => {
		const bob = await world.person({ verified: false })
		await signIn(bob, { ip: '203.0.113.9' })
		expect(await notices()).toEqual([])
	})

	test('the notice of a sign-in leaves no IP address or browser in the database after the session', async () => {
		const { token } = (await signIn(ada, { ip: '203.0.113.9', headers: { 'user-agent': 'Odd' } })).ok.data
		await toAda()
		await world.ask(logout, {}, { token })
		const { attempts: _, ...left } = await world.dump()
		expect(JSON.stringify(left)).not.toMatch(/203\.0\.113\.9|Odd/)
	})
})

describe('password notices', () => {
	test('one notice is sent when a password is replaced', async () => {
		const body = { currentPassword: ada.password, newPassword: 'another long one' }
		await world.ask(changePassword, { body }, ada)
		const mails = await toAda()
		expect(recipientsAndSubjects(mails)).toEqual([[ada.email, 'Your Playhouse password was changed']])
		expect(mails[0]?.text).not.toContain('another long one')
	})

	test('no notice is sent when a password change fails', async () => {
		const body = { currentPassword: 'wrong password', newPassword: 'another long one' }
		expect((await world.ask(changePassword, { body }, ada)).status).toBe(403)
		expect(await toAda()).toEqual([])
	})

	test('a notice is sent when the owner of the address claims the account and removes its password', async () => {
		const { email } = await world.person({ email: 'bob@example.org', verified: false })
		await world.ask(sendCode, { body: { email } })
		const body = { email, code: codeSentTo(world, email) }
		const { token } = (await world.ask(verifyCode, { body })).ok.data
		const subjects = (await notices()).filter(({ to }) => to === email).map((mail) => mail.subject)
		expect(subjects.toSorted()).toEqual([
			'New sign-in to your Playhouse account',
			'Your Playhouse password was removed',
		])
		await world.ask(changePassword, { body: { newPassword: 'the first of mine' } }, { token })
		expect(recipientsAndSubjects(await notices())).toEqual([
			[email, 'Your Playhouse account now has a password'],
		])
	})
})

describe('organization notices', () => {
	const join = async (role: 'owner' | 'admin' | 'member', verified = true) => {
		const person = await world.person()
		const params = { orgId: ada.orgId }
		await world.ask(inviteMember, { params, body: { email: person.email, role } }, ada)
		await world.ask(acceptInvitation, { body: { token: await invitationTokenIn(world) } }, person)
		if (!verified)
			await world.deps(({ db }) =>
				db.all(`update users set email_verified_at = null where id = ${person.userId} returning id`),
			)
		return person
	}

	test('each owner, and nobody else, gets one notice of a new member', async () => {
		const second = await join('owner')
		const admin = await join('admin')
		await join('owner', false)
		await notices()
		const bob = await join('admin')
		const mails = (await notices()).filter(({ subject }) => subject.startsWith('New member'))
		expect(mails.map(({ to }) => to).toSorted()).toEqual([ada.email, second.email].toSorted())
		expect(mails[0]?.text).toContain(`(${bob.email}) joined`)
		expect(mails[0]?.text).toContain('as an administrator')
		expect(mails.map(({ to }) => to)).not.toContain(admin.email)
	})

	test('the owners and the creator get one notice of a new API key, but none of a deleted key', {
		tags: 'd1',
	}, async () => {
		const admin = await join('admin')
		const bystander = await join('member')
		await notices()
		const params = { orgId: ada.orgId }
		const body = { name: 'backup job', scopes: ['read' as const] }
		const { token } = (await signIn(admin)).ok.data
		const switched = await world.ask(createApiKey, { params, body }, { token })
		const { key } = switched.ok.data
		const mails = (await notices()).filter(({ subject }) => subject.startsWith('New API key'))
		expect(mails.map(({ to }) => to).toSorted()).toEqual([ada.email, admin.email].toSorted())
		expect(mails.map(({ to }) => to)).not.toContain(bystander.email)
		for (const { text } of mails) {
			expect(text).toContain('“backup job”')
			expect(text).not.toContain(key)
		}
		const gone = (await world.ask(createApiKey, { params, body }, ada)).ok.data
		await world.ask(deleteApiKey, { params: { ...params, keyId: gone.id } }, ada)
		expect((await notices()).filter(({ subject }) => subject.startsWith('New API key'))).toEqual([])
	})

	test('the owners get a notice of a member who signed up with the invitation', async () => {
		const params = { orgId: ada.orgId }
		await world.ask(inviteMember, { params, body: { email: 'new@example.org' } }, ada)
		const invitationToken = await invitationTokenIn(world)
		const body = { email: 'new@example.org', password: 'long enough', name: 'New', invitationToken }
		await world.ask(signup, { body })
		expect(recipientsAndSubjects(await toAda())).toEqual([
			[ada.email, 'New member of “Person 1’s organization” on Playhouse'],
		])
	})
})

import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getMe, login, sendCode, verifyCode } from '#schema/contract/accounts/identity.ts'
import { acceptInvitation, inviteMember } from '#schema/contract/accounts/org-members.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import * as admin from '#schema/contract/operations/admin/users.ts'
import { adminUserStore } from '../../../../edge/operations/admin/users/store.ts'
import { codeSentTo, invitationTokenIn } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { setUpApp } from '../../accounts/identity/second-factor/authenticator-app.ts'

let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person({ email: 'root@example.org', name: 'Root' })
	ada = await world.person({ email: 'ada@example.org', name: 'Ada Lovelace' })
})

const of = (person: Person) => ({ params: { userId: String(person.userId) } })
const found = async (query: Record<string, string>) =>
	(await world.ask(admin.listUsers, { query }, root)).ok.data.map(({ email }) => email)

describe('the list of users', () => {
	test('the list of users finds accounts by the beginning of an address or name, or by id', async () => {
		await world.person({ email: 'adam@example.org', name: 'Adam' })
		expect(await found({})).toEqual(['adam@example.org', 'ada@example.org', 'root@example.org'])
		expect(await found({ q: 'ADA' })).toEqual(['adam@example.org', 'ada@example.org'])
		expect(await found({ q: 'ada love' })).toEqual(['ada@example.org'])
		expect(await found({ q: String(root.userId) })).toEqual(['root@example.org'])
		expect(await found({ q: 'lovelace' })).toEqual([])
		expect(await found({ q: '%%' })).toEqual([])
	})

	test('the list of users has pages, and can show only superadmins or locked accounts', async () => {
		const first = await world.ask(admin.listUsers, { query: { limit: '1' } }, root)
		expect(first.ok.data.map(({ email }) => email)).toEqual(['ada@example.org'])
		const cursor = first.headers.get('x-next-cursor') ?? ''
		expect(await found({ limit: '1', cursor })).toEqual(['root@example.org'])
		expect(await found({ only: 'superadmins' })).toEqual(['root@example.org'])
		expect(await found({ only: 'locked' })).toEqual([])
		await world.ask(admin.lockUser, of(ada), root)
		expect(await found({ only: 'locked' })).toEqual(['ada@example.org'])
	})

	test('the list of users reads ranges of indexes alone', async () => {
		await world.ask(admin.listUsers, { query: { q: 'ada' } }, root)
		const sql = world.statements.find((each) => each.includes('union'))
		const plan = (await world.plan(sql ?? '')).join('\n')
		expect(plan).toMatch(/users_email/)
		expect(plan).toMatch(/users_name/)
		expect(plan).not.toMatch(/SCAN (users|found)\b/)
	})

	test('superadmins alone list users, and others learn nothing about ids', async () => {
		expect((await world.ask(admin.listUsers, { query: {} }, ada)).status).toBe(403)
		const known = await world.ask(admin.getUser, of(root), ada)
		const unknown = await world.ask(admin.getUser, { params: { userId: '999' } }, ada)
		expect([known.status, known.text]).toEqual([403, unknown.text])
		expect((await world.ask(admin.getUser, { params: { userId: '999' } }, root)).status).toBe(404)
	})
})

describe('a locked account', () => {
	const lock = () => world.ask(admin.lockUser, of(ada), root)
	const logIn = () => world.ask(login, { body: { email: ada.email, password: ada.password } })

	test('a locked account loses its sessions, and can’t sign in by password or code until it is unlocked', {
		tags: 'd1',
	}, async () => {
		expect((await lock()).ok.data.lockedAt).not.toBeNull()
		expect((await world.ask(getMe, {}, ada)).status).toBe(401)
		const refused = await logIn()
		expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'account_locked'])
		await world.ask(sendCode, { body: { email: ada.email } })
		const code = await codeSentTo(world, ada.email)
		const byCode = await world.ask(verifyCode, { body: { email: ada.email, code } })
		expect([byCode.status, byCode.headers.get('x-error-code')]).toEqual([403, 'account_locked'])
		// A wrong password must not reveal the lock.
		const wrong = await world.ask(login, { body: { email: ada.email, password: 'another one' } })
		expect(wrong.status).toBe(401)
		expect((await world.ask(admin.unlockUser, of(ada), root)).ok.data.lockedAt).toBeNull()
		expect((await logIn()).status).toBe(200)
		expect((await world.ask(getMe, {}, ada)).status).toBe(401)
	})

	test('API keys that a locked account created don’t work', async () => {
		const params = { orgId: ada.orgId }
		const { key } = (await world.ask(createApiKey, { params, body: { name: 'k' } }, ada)).ok.data
		const byKey = async () => (await world.ask(getOrg, { params }, { key })).status
		expect(await byKey()).toBe(200)
		await lock()
		expect(await byKey()).toBe(401)
		await world.ask(admin.unlockUser, of(ada), root)
		expect(await byKey()).toBe(200)
	})

	test('invitations by a locked account don’t work until it is unlocked', async () => {
		const bob = await world.person()
		await world.ask(
			inviteMember,
			{ params: { orgId: ada.orgId }, body: { email: bob.email, role: 'admin' } },
			ada,
		)
		const token = await invitationTokenIn(world)
		const accept = async () => (await world.ask(acceptInvitation, { body: { token } }, bob)).status
		await lock()
		expect(await accept()).toBe(404)
		await world.ask(admin.unlockUser, of(ada), root)
		expect(await accept()).toBe(200)
	})

	test('a repeated lock of an account keeps the first time, and superadmins can’t be locked', async () => {
		const first = await lock()
		expect((await lock()).ok.data.lockedAt).toBe(first.ok.data.lockedAt)
		expect((await world.ask(admin.lockUser, of(root), root)).status).toBe(409)
		expect((await world.ask(admin.promoteUser, of(ada), root)).status).toBe(409)
	})
})

test('ending the sessions of an account returns their number', async () => {
	await world.logIn(ada)
	const detail = (await world.ask(admin.getUser, of(ada), root)).ok.data
	expect(detail).toMatchObject({ sessions: 2, orgs: [{ id: ada.orgId, role: 'owner' }] })
	expect((await world.ask(admin.endUserSessions, of(ada), root)).ok.data.ended).toBe(2)
	expect((await world.ask(getMe, {}, ada)).status).toBe(401)
	expect((await world.ask(login, { body: { email: ada.email, password: ada.password } })).status).toBe(200)
})

describe('superadmins', () => {
	test('superadmins can promote and demote, but the last one stays', async () => {
		expect((await world.ask(admin.demoteUser, of(root), root)).status).toBe(409)
		expect((await world.ask(admin.promoteUser, of(ada), root)).ok.data.superadmin).toBe(true)
		expect((await world.ask(admin.demoteUser, of(root), ada)).ok.data.superadmin).toBe(false)
		expect((await world.ask(admin.listUsers, { query: {} }, root)).status).toBe(403)
		expect((await world.ask(admin.demoteUser, of(ada), ada)).status).toBe(409)
	})

	test('two superadmins who demote each other at the same time leave one', async () => {
		await world.ask(admin.promoteUser, of(ada), root)
		const answers = await world.deps(({ db, work }) =>
			Promise.all([root, ada].map(({ userId }) => adminUserStore(db).demote(work, userId))),
		)
		expect(answers.filter((row) => row !== undefined)).toHaveLength(1)
	})

	test('a new superadmin needs a second factor where the installation requires one', async () => {
		await setUpApp(world, root)
		world.set({ SUPERADMIN_SECOND_FACTOR: 'true' })
		const refused = await world.ask(admin.promoteUser, of(ada), root)
		expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('no second factor')])
		await setUpApp(world, ada)
		expect((await world.ask(admin.promoteUser, of(ada), root)).ok.data.superadmin).toBe(true)
	})

	test('a new superadmin needs a verified address, and the promoter a recent proof', async () => {
		const unverified = await world.person({ verified: false })
		expect((await world.ask(admin.promoteUser, of(unverified), root)).status).toBe(409)
		world.pass(11 * 60_000)
		const late = await world.ask(admin.promoteUser, of(ada), root)
		expect(late.headers.get('x-error-code')).toBe('reauthentication_required')
	})
})

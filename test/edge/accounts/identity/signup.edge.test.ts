import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { getMe, signup, verifySignupCode } from '#schema/contract/accounts/identity.ts'
import { inviteMember, listMembers } from '#schema/contract/accounts/org-members.ts'
import { orgMembers, orgs, users } from '#schema/tables/accounts/identity.ts'
import { invitationTokenIn } from '../../../support/edge/mailbox.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const ada = { email: 'ada@example.org', password: 'long enough', name: 'Ada' }

describe('signup', () => {
	test('a signup creates a user, an organization that they own, and a token that works at once', async () => {
		const { status, ok } = await world.ask(signup, { body: ada })
		expect(status).toBe(201)
		expect(ok.data.user).toMatchObject({
			email: 'ada@example.org',
			name: 'Ada',
			isSuperadmin: true,
			hasPassword: true,
		})
		expect(ok.data.org.slug).toMatch(/^ada-[0-9a-z]{8}$/)
		const me = await world.ask(getMe, {}, { token: ok.data.token })
		expect(me.ok.data.memberships).toEqual([
			{
				orgId: ok.data.org.id,
				slug: ok.data.org.slug,
				name: 'Ada’s organization',
				role: 'owner',
				suspended: false,
				secondFactorRequired: false,
				current: true,
			},
		])
	})

	test('a signup makes only the first user a superadmin, even when ten sign up at once', async () => {
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, i) =>
				world.ask(signup, { body: { ...ada, email: `p${i}@example.org` } }, { ip: `192.0.2.${i}` }),
			),
		)
		expect(answers.map((a) => a.status)).toEqual(Array(10).fill(201))
		expect(answers.filter((a) => a.ok.data.user.isSuperadmin)).toHaveLength(1)
	})

	test('a signup creates no superadmin while there is one, even without any organization', async () => {
		await world.person()
		await world.deps(({ db }) => db.batch([db.delete(orgMembers), db.delete(orgs)]))
		expect((await world.ask(signup, { body: ada })).ok.data.user.isSuperadmin).toBe(false)
	})

	test('one of ten concurrent signups becomes the superadmin if there are organizations but no superadmin', async () => {
		await world.person()
		await world.deps(({ db }) => db.update(users).set({ isSuperadmin: false }))
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, i) =>
				world.ask(signup, { body: { ...ada, email: `p${i}@example.org` } }, { ip: `192.0.2.${i}` }),
			),
		)
		expect(answers.filter((a) => a.ok.data.user.isSuperadmin)).toHaveLength(1)
		const marked = await world.deps(({ db }) => db.select().from(users).where(eq(users.isSuperadmin, true)))
		expect(marked).toHaveLength(1)
	})

	test('ten concurrent signups with one address create one account, and no rows for the others', async () => {
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, i) => world.ask(signup, { body: ada }, { ip: `192.0.2.${i}` })),
		)
		expect(answers.map((a) => a.status).toSorted()).toEqual([201, ...Array(9).fill(409)])
		const [{ orgs, sessions } = { orgs: 0, sessions: 0 }] = await world.deps((d) =>
			d.db.all<{ orgs: number; sessions: number }>(
				'select (select count(*) from orgs) as orgs, (select count(*) from sessions) as sessions',
			),
		)
		expect({ orgs, sessions }).toEqual({ orgs: 1, sessions: 1 })
	})

	test('a signup ignores the letter case of an address', async () => {
		await world.ask(signup, { body: ada })
		const again = await world.ask(signup, { body: { ...ada, email: '  ADA@Example.ORG ' } })
		expect(again.status).toBe(409)
	})

	test('a signup rejects input that the specification calls invalid', async () => {
		for (const body of [
			{},
			{ ...ada, email: 'no address' },
			{ ...ada, email: 7 },
			{ ...ada, password: '1234567' },
			{ ...ada, password: 'x'.repeat(257) },
			{ ...ada, name: '   ' },
			{ ...ada, name: null },
			[],
			'"text"',
		]) {
			const answer = await world.ask(signup, { body: body as never })
			expect(answer.status, JSON.stringify(body)).toBe(400)
			expect(answer.error).toEqual(expect.any(String))
		}
	})

	test('a signup answers 501 without AUTH_SECRET', { tags: 'd1' }, async () => {
		const bare = await openWorld({ AUTH_SECRET: '' })
		const answer = await bare.ask(signup, { body: ada })
		expect([answer.status, answer.code]).toEqual([501, 'not_configured'])
	})
})

describe('registration settings', () => {
	test('closed registration answers 403 to sign-ups by password and by code', async () => {
		const closed = await openWorld({ REGISTRATION_ENABLED: 'false' })
		expect((await closed.ask(signup, { body: ada })).status).toBe(403)
		const body = { email: ada.email, code: '000000', name: 'Ada' }
		expect((await closed.ask(verifySignupCode, { body })).status).toBe(403)
	})

	test('allowed domains accept their own addresses but no subdomains or look-alikes', {
		tags: 'd1',
	}, async () => {
		const restricted = await openWorld({ REGISTRATION_ALLOWED_DOMAINS: 'example.org, Example.COM' })
		const statusOf = async (email: string) =>
			(await restricted.ask(signup, { body: { ...ada, email } })).status
		expect(await statusOf('a@example.org')).toBe(201)
		expect(await statusOf('a@EXAMPLE.com')).toBe(201)
		expect(await statusOf('a@sub.example.org')).toBe(403)
		expect(await statusOf('a@notexample.org')).toBe(403)
		expect(await statusOf('example.org@elsewhere.net')).toBe(403)
	})

	test('an invitation lets its address sign up once while registration is closed', async () => {
		const owner = await world.person()
		const body = { email: 'ada@example.org', role: 'admin' } as const
		await world.ask(inviteMember, { params: { orgId: owner.orgId }, body }, owner)
		const token = await invitationTokenIn(world)
		world.set({ REGISTRATION_ENABLED: 'false' })
		expect((await world.ask(signup, { body: ada })).status).toBe(403)
		const wrong = await world.ask(signup, {
			body: { ...ada, email: 'eve@example.org', invitationToken: token },
		})
		expect(wrong.status).toBe(403)
		const right = await world.ask(signup, { body: { ...ada, invitationToken: token } })
		expect(right.status).toBe(201)
		const members = await world.ask(listMembers, { params: { orgId: owner.orgId }, query: {} }, owner)
		expect(members.ok.data.map((m) => [m.email, m.role])).toEqual([
			[owner.email, 'owner'],
			['ada@example.org', 'admin'],
		])
		const again = await world.ask(signup, {
			body: { ...ada, email: 'bob@example.org', invitationToken: token },
		})
		expect(again.status).toBe(403)
	})
})

import { beforeEach, describe, expect, test } from 'vitest'
import { changePassword, getMe, login, switchOrg } from '#schema/contract/accounts/identity.ts'
import { createOrg, listOrgs } from '#schema/contract/accounts/orgs.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

const MINUTE = 60_000
let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const tryLogin = (email: string, password: string, ip = '192.0.2.9') =>
	world.ask(login, { body: { email, password } }, { ip })

describe('login', () => {
	test('login returns a token for the oldest organization', async () => {
		const { status, ok } = await tryLogin(ada.email, ada.password)
		expect(status).toBe(200)
		expect(ok.data.org).toEqual({ id: ada.orgId, slug: ada.orgSlug })
		expect((await world.ask(getMe, {}, ok.data)).status).toBe(200)
	})

	test('login gives the same answer with the same statements for a wrong password and an unknown user', async () => {
		const wrong = await tryLogin(ada.email, 'wrong password')
		const unknown = await tryLogin('nobody@example.org', 'wrong password')
		expect([wrong.status, wrong.code, wrong.text]).toEqual([401, 'unauthorized', unknown.text])
		expect(unknown.status).toBe(401)
		expect(wrong.statements).toEqual(unknown.statements)
	})

	test('login throttles guesses at one account from one IP address after ten tries, before any hashing', {
		tags: 'd1',
	}, async () => {
		for (let i = 0; i < 10; i++) expect((await tryLogin(ada.email, `guess ${i}`)).status).toBe(401)
		const blocked = await tryLogin(ada.email, ada.password)
		expect(blocked.status).toBe(429)
		expect(Number(blocked.headers.get('retry-after'))).toBe(60)
		expect(blocked.statements).toHaveLength(3)
		// The owner can still sign in from another address.
		expect((await tryLogin(ada.email, ada.password, '192.0.2.77')).status).toBe(200)
		world.pass(MINUTE)
		expect((await tryLogin(ada.email, ada.password)).status).toBe(200)
	})

	test('login doubles the wait after each further guess, up to 15 minutes', { tags: 'd1' }, async () => {
		for (let i = 0; i < 10; i++) await tryLogin(ada.email, `guess ${i}`)
		const waits: number[] = []
		for (let i = 0; i < 7; i++) {
			const { headers } = await tryLogin(ada.email, 'guess')
			waits.push(Math.round(Number(headers.get('retry-after')) / 60))
			world.pass(Number(headers.get('retry-after')) * 1_000)
			expect((await tryLogin(ada.email, 'guess')).status).toBe(401)
		}
		expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15])
		world.pass(15 * MINUTE)
		expect((await tryLogin(ada.email, ada.password)).status).toBe(200)
	})

	test('login counts concurrent tries exactly', async () => {
		const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => tryLogin(ada.email, `guess ${i}`)))
		const statuses = answers.map(({ status }) => status).toSorted()
		expect(statuses).toEqual([...Array(10).fill(401), ...Array(15).fill(429)])
	})

	test('login delays no free try when the clocks of two requests differ', async () => {
		expect((await tryLogin(ada.email, 'guess 1')).status).toBe(401)
		world.pass(-1_000)
		expect((await tryLogin(ada.email, 'guess 2')).status).toBe(401)
		world.pass(-1_000)
		expect((await tryLogin(ada.email, 'guess 3')).status).toBe(401)
	})

	test('login resets failed tries after a success', { tags: 'd1' }, async () => {
		for (let i = 0; i < 9; i++) await tryLogin(ada.email, `guess ${i}`)
		expect((await tryLogin(ada.email, ada.password)).status).toBe(200)
		for (let i = 0; i < 9; i++) expect((await tryLogin(ada.email, `guess ${i}`)).status).toBe(401)
	})
})

describe('change-password', () => {
	const change = (currentPassword: string, newPassword: string, token = ada.token) =>
		world.ask(changePassword, { body: { currentPassword, newPassword } }, { token })

	test('a password change revokes all earlier tokens and returns a new one', async () => {
		const elsewhere = await world.logIn(ada)
		const { status, ok } = await change(ada.password, 'another password')
		expect(status).toBe(200)
		for (const token of [elsewhere, ada.token])
			expect((await world.ask(getMe, {}, { token })).status).toBe(401)
		expect((await world.ask(getMe, {}, ok.data)).status).toBe(200)
		expect((await tryLogin(ada.email, ada.password)).status).toBe(401)
		expect((await tryLogin(ada.email, 'another password')).status).toBe(200)
	})

	test('a password change rejects a wrong current password and a short new one without any change', async () => {
		expect((await change('wrong', 'another password')).status).toBe(403)
		expect((await change(ada.password, 'short')).status).toBe(400)
		expect((await world.ask(getMe, {}, ada)).status).toBe(200)
	})

	test('two concurrent password changes succeed once', async () => {
		const answers = await Promise.all([
			change(ada.password, 'password one'),
			change(ada.password, 'password two'),
		])
		expect(answers.map((a) => a.status).toSorted()[0]).toBe(200)
		expect(answers.map((a) => a.status).toSorted()[1]).not.toBe(200)
	})
})

describe('switch-org', () => {
	test('switch-org returns a token for an organization of the user, and for no other', async () => {
		const second = await world.ask(createOrg, { body: { name: 'Second' } }, ada)
		const { ok } = await world.ask(switchOrg, { body: { orgId: second.ok.data.id } }, ada)
		expect(ok.data.org).toEqual({ id: second.ok.data.id, slug: second.ok.data.slug })
		const orgs = await world.ask(listOrgs, { query: {} }, ok.data)
		expect(orgs.ok.data.map((org) => org.name)).toEqual(['Person 1’s organization', 'Second'])
		const eve = await world.person()
		expect((await world.ask(switchOrg, { body: { orgId: ada.orgId } }, eve)).status).toBe(404)
		expect((await world.ask(switchOrg, { body: { orgId: 'org_nonsense' } }, eve)).status).toBe(400)
	})
})

import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey, listApiKeys } from '#schema/contract/accounts/api-keys.ts'
import { changePassword, getMe } from '#schema/contract/accounts/identity.ts'
import {
	inviteMember,
	listMembers,
	removeMember,
	updateMember,
} from '#schema/contract/accounts/org-members.ts'
import { createOrg, getOrg, updateOrg } from '#schema/contract/accounts/orgs.ts'
import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import { isWellFormedApiKey, makeApiKey } from '../../../../edge/accounts/orgs/api-key.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const create = (scopes?: ApiScope[], more: { expiresAt?: string | null; orgId?: string } = {}) =>
	world.ask(
		createApiKey,
		{
			params: { orgId: more.orgId ?? ada.orgId },
			body: {
				name: 'a key',
				...(scopes && { scopes }),
				...(more.expiresAt && { expiresAt: more.expiresAt }),
			},
		},
		ada,
	)
const membership = (who: Person) => ({ params: { orgId: ada.orgId, userId: String(who.userId) } })
const join = (who: Person, role: string) =>
	world.deps((d) =>
		d.db.all(`insert into org_members values ('${ada.orgId}', ${who.userId}, '${role}', 1) returning role`),
	)
const read = (who: { key?: string; token?: string }) =>
	world.ask(getOrg, { params: { orgId: ada.orgId } }, who)
const list = (who: { key?: string; token?: string }) =>
	world.ask(listMembers, { params: { orgId: ada.orgId }, query: {} }, who)
const write = (key: string) =>
	world.ask(updateOrg, { params: { orgId: ada.orgId }, body: { name: 'Changed' } }, { key })

describe('API keys', () => {
	test('an API key is shown once, stored as a hash and accepted in both headers', async () => {
		const { status, ok } = await create()
		expect(status).toBe(201)
		const { key, ...listed } = ok.data
		expect(key).toMatch(/^phk_live_[0-9A-Za-z]{38}$/)
		expect(listed).toMatchObject({
			prefix: key.slice(0, 13),
			lastFour: key.slice(-4),
			scopes: ['read', 'write'],
		})
		expect((await read({ key })).ok.data.role).toBeNull()
		expect((await read({ token: key })).status).toBe(200)
		const list = await world.ask(listApiKeys, { params: { orgId: ada.orgId }, query: {} }, ada)
		expect(list.text).not.toContain(key)
		expect(list.ok.data).toMatchObject([
			{ id: listed.id, lastUsedAt: expect.stringContaining('2037-11-21T12:00') },
		])
		expect(JSON.stringify(await world.deps((d) => d.db.all('select * from api_keys')))).not.toContain(key)
	})

	test('an API key allows only the operations of its scopes', async () => {
		const keyOf = async (...scopes: ApiScope[]) => (await create(scopes)).ok.data.key
		const [reading, writing, admin, headless] = await Promise.all([
			keyOf('read'),
			keyOf('write'),
			keyOf('admin'),
			keyOf('headless:auth'),
		])
		expect([(await read({ key: reading })).status, (await write(reading)).status]).toEqual([200, 403])
		expect([(await read({ key: writing })).status, (await write(writing)).status]).toEqual([200, 403])
		expect([(await read({ key: admin })).status, (await write(admin)).status]).toEqual([200, 200])
		expect([(await read({ key: headless })).status, (await write(headless)).status]).toEqual([403, 403])
	})

	test('an API key cannot manage keys or act as a user', { tags: 'd1' }, async () => {
		const { key } = (await create(['admin'])).ok.data
		const params = { orgId: ada.orgId }
		expect((await world.ask(createApiKey, { params, body: { name: 'x' } }, { key })).status).toBe(401)
		expect((await world.ask(listApiKeys, { params, query: {} }, { key })).status).toBe(401)
		expect((await world.ask(getMe, {}, { key })).status).toBe(401)
		expect((await world.ask(changePassword, { body: { newPassword: 'long enough' } }, { key })).status).toBe(
			401,
		)
		expect((await world.ask(listMembers, { params, query: {} }, { key })).status).toBe(200)
	})

	test('an API key stops working when it is deleted or expired, or its organization is suspended', async () => {
		const { id, key } = (await create()).ok.data
		expect((await world.ask(deleteApiKey, { params: { orgId: ada.orgId, keyId: id } }, ada)).status).toBe(200)
		expect((await read({ key })).status).toBe(401)
		const expiresAt = new Date(world.now + 60_000).toISOString()
		const short = (await create(['read'], { expiresAt })).ok.data.key
		expect((await read({ key: short })).status).toBe(200)
		world.pass(60_000)
		expect((await read({ key: short })).status).toBe(401)
		expect((await create(['read'], { expiresAt })).status).toBe(400)
		const other = (await create()).ok.data.key
		await world.deps((d) =>
			d.db.all(`update orgs set suspended_at = 1 where id = '${ada.orgId}' returning id`),
		)
		const suspended = await list({ key: other })
		expect([suspended.status, suspended.code]).toEqual([403, 'org_suspended'])
		expect((await list(ada)).code).toBe('org_suspended')
	})

	test('an API key shows its creator', async () => {
		const createdBy = { id: ada.userId, name: 'Person 1' }
		expect((await create()).ok.data).toMatchObject({ createdBy })
		const list = await world.ask(listApiKeys, { params: { orgId: ada.orgId }, query: {} }, ada)
		expect(list.ok.data).toMatchObject([{ createdBy }])
	})

	test.each<[string, (bob: Person) => Promise<{ status: number }>]>([
		['is removed', (bob) => world.ask(removeMember, membership(bob), ada)],
		['leaves', (bob) => world.ask(removeMember, membership(bob), bob)],
		[
			'becomes a plain member',
			(bob) => world.ask(updateMember, { ...membership(bob), body: { role: 'member' } }, ada),
		],
	])('an API key is deleted when its creator %s', async (_, end) => {
		const bob = await world.person()
		await join(bob, 'admin')
		const make = (who: Person) =>
			world.ask(createApiKey, { params: { orgId: ada.orgId }, body: { name: 'k' } }, who)
		const [his, hers] = [(await make(bob)).ok.data, (await make(ada)).ok.data]
		await world.ask(
			inviteMember,
			{ params: { orgId: ada.orgId }, body: { email: 'bob2@example.org', role: 'admin' } },
			bob,
		)
		expect((await read({ key: his.key })).status).toBe(200)
		expect((await end(bob)).status).toBe(200)
		expect((await read({ key: his.key })).status).toBe(401)
		expect((await read({ key: hers.key })).status).toBe(200)
		const list = await world.ask(listApiKeys, { params: { orgId: ada.orgId }, query: {} }, ada)
		expect(list.ok.data.map(({ id }) => id)).toEqual([hers.id])
		expect(await world.deps((d) => d.db.all('select * from org_invitations'))).toEqual([])
	})

	test('API keys stay when the removal of the last owner fails', async () => {
		const { key } = (await create()).ok.data
		expect((await world.ask(removeMember, membership(ada), ada)).status).toBe(409)
		expect(
			(await world.ask(updateMember, { ...membership(ada), body: { role: 'member' } }, ada)).status,
		).toBe(409)
		expect((await read({ key })).status).toBe(200)
	})

	test('an API key is rejected without a creator who is an owner or admin', async () => {
		const { key } = (await create()).ok.data
		await world.deps((d) => d.db.all('update api_keys set created_by_user_id = null returning id'))
		expect((await read({ key })).status).toBe(401)
	})

	test('an API key is rejected beside a different credential, but accepted in both headers', async () => {
		const { key } = (await create()).ok.data
		const mixed = await read({ key, token: ada.token })
		expect([mixed.status, mixed.code]).toEqual([400, 'bad_credentials_mix'])
		expect((await read({ key, token: key })).status).toBe(200)
	})

	test('the tier limits the number of API keys, even for concurrent requests', async () => {
		world.set({ DEFAULT_TIER: 'free' })
		const orgId = (await world.ask(createOrg, { body: { name: 'Small' } }, ada)).ok.data.id
		const answers = await Promise.all(Array.from({ length: 6 }, () => create(['read'], { orgId })))
		expect(answers.map((a) => a.status).toSorted()).toEqual([201, 201, 403, 403, 403, 403])
	})

	test('a mistyped API key is rejected without a database query', async () => {
		const { key } = (await create()).ok.data
		const answer = await read({ key: key.slice(0, -1) + (key.endsWith('0') ? '1' : '0') })
		expect([answer.status, answer.statements]).toEqual([401, []])
	})

	test('an API key fails the checksum after a change of any one character', () => {
		fc.assert(
			fc.property(fc.nat({ max: 37 }), fc.constantFrom(...'0123456789ABCxyz'), (at, letter) => {
				const { key } = makeApiKey()
				expect(isWellFormedApiKey(key)).toBe(true)
				const changed = key.slice(0, 9 + at) + letter + key.slice(10 + at)
				expect(isWellFormedApiKey(changed)).toBe(changed === key)
			}),
			{ numRuns: propertyRuns(100) },
		)
	})
})

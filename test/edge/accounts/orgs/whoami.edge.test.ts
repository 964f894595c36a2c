import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { ApiScope } from '#schema/contract/accounts/roles.ts'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import { whoAmI } from '#schema/contract/accounts/whoami.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'

let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const makeKey = async (scopes: ApiScope[], expiresAt: string | null = null) => {
	const at = { params: { orgId: ada.orgId }, body: { name: 'Build server', scopes, expiresAt } }
	return (await world.ask(createApiKey, at, ada)).ok.data
}
const ask = (who: Who) => world.ask(whoAmI, {}, who)

describe('whoami', () => {
	test.each(ApiScope.options)('an API key with the scope %s alone learns its organization', async (scope) => {
		const { id, key } = await makeKey([scope])
		const { data } = (await ask({ key })).ok
		expect(data).toEqual({
			kind: 'key',
			org: { id: ada.orgId, slug: ada.orgSlug, name: expect.any(String) },
			key: { id, name: 'Build server', scopes: [scope] },
			user: null,
			expiresAt: null,
		})
	})

	test('an API key learns when it expires, and nothing afterwards', async () => {
		const expiresAt = new Date(world.now + 60_000).toISOString()
		const { key } = await makeKey(['read'], expiresAt)
		expect((await ask({ token: key })).ok.data.expiresAt).toBe(expiresAt)
		world.pass(60_000)
		expect((await ask({ key })).status).toBe(401)
	})

	test('a session learns its user, role and organization, and no other organization’s keys', async () => {
		await makeKey(['read'])
		const { data } = (await ask(ada)).ok
		expect(data).toMatchObject({
			kind: 'session',
			org: { id: ada.orgId },
			key: null,
			user: { id: ada.userId, email: ada.email, role: 'owner' },
		})
		expect(Date.parse(data.expiresAt ?? '')).toBeGreaterThan(world.now)
		expect((await ask(root)).ok.data.org.id).toBe(root.orgId)
	})

	test('a deleted API key gets 401', async () => {
		const { id, key } = await makeKey(['read'])
		await world.ask(deleteApiKey, { params: { orgId: ada.orgId, keyId: id } }, ada)
		expect((await ask({ key })).status).toBe(401)
	})

	test('a suspended organization still learns whose credential it has', async () => {
		const { key } = await makeKey(['write'])
		const suspension = { params: { orgId: ada.orgId }, body: { reason: 'abuse' as const } }
		await world.ask(suspendOrg, suspension, root)
		for (const who of [ada, { key }]) expect((await ask(who)).status).toBe(200)
	})

	test('whoami costs one statement besides that of the credential', async () => {
		const { key } = await makeKey(['read'])
		// The first use of a key records the time of its use.
		await ask({ key })
		expect([(await ask({ key })).statements.length, (await ask(ada)).statements.length]).toEqual([2, 2])
	})
})

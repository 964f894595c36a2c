import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getMe, reauthenticate, switchOrg } from '#schema/contract/accounts/identity.ts'
import { getOrg, listOrgs } from '#schema/contract/accounts/orgs.ts'
import { getSecuritySettings, updateSecuritySettings } from '#schema/contract/accounts/security.ts'
import { removeTotp } from '#schema/contract/accounts/sign-in/second-factor.ts'
import { listUsers } from '#schema/contract/operations/admin/users.ts'
import { createAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'
import { start } from '../impersonation/impersonate.ts'
import { setUpApp } from './authenticator-app.ts'

const MINUTE = 60_000
let world: World
/** The superadmin. */
let root: Person
let ada: Person
/** A member of Ada's organization, with a token for it. */
let bob: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
	bob = await world.person()
	await join(bob, 'admin')
})

async function join(who: Person, role: string) {
	await world.deps(({ db }) =>
		db.all(
			`insert into org_members values ('${ada.orgId}', ${who.userId}, '${role}', ${world.now}) returning 1`,
		),
	)
	const { token } = (await world.ask(switchOrg, { body: { orgId: ada.orgId } }, who)).ok.data
	Object.assign(who, { token })
}
const change = (
	body: { requireSecondFactor?: boolean; recentProofForApiKeys?: boolean },
	who: { token: string } = ada,
) => world.ask(updateSecuritySettings, { body }, who)
const newKey = (who: Who) =>
	world.ask(createApiKey, { params: { orgId: ada.orgId }, body: { name: 'k' } }, who)

describe('an organization that requires a second factor', () => {
	test('an organization that requires a second factor refuses members without one, until they set one up', {
		tags: 'd1',
	}, async () => {
		await setUpApp(world, ada)
		expect((await change({ requireSecondFactor: true })).ok.data).toEqual({
			requireSecondFactor: true,
			recentProofForApiKeys: false,
			membersWithoutSecondFactor: 1,
		})
		const params = { orgId: ada.orgId }
		for (const refused of [
			await world.ask(getOrg, { params }, bob),
			await world.ask(listAssets, { query: {} }, bob),
			await world.ask(createAsset, { body: { title: 'Film' } }, bob),
			await newKey(bob),
		])
			expect([refused.status, refused.code]).toEqual([403, 'second_factor_missing'])
		expect((await world.ask(getOrg, { params }, ada)).status).toBe(200)
		await setUpApp(world, bob)
		expect((await world.ask(getOrg, { params }, bob)).status).toBe(200)
	})

	test('an organization that requires a second factor does not limit what its members do elsewhere', async () => {
		await setUpApp(world, ada)
		await change({ requireSecondFactor: true })
		const { memberships } = (await world.ask(getMe, {}, bob)).ok.data
		expect(Object.fromEntries(memberships.map((each) => [each.orgId, each.secondFactorRequired]))).toEqual({
			[bob.orgId]: false,
			[ada.orgId]: true,
		})
		expect((await world.ask(listOrgs, { query: {} }, bob)).status).toBe(200)
		expect((await world.ask(getOrg, { params: { orgId: bob.orgId } }, bob)).status).toBe(200)
	})

	test('members without a required second factor see no more of signed videos than strangers', async () => {
		const { id, playbackId } = await makeReady(world, ada)
		await world.ask(updateAsset, { params: { assetId: id }, body: { visibility: 'signed' } }, ada)
		const play = async (who: Who) =>
			(await world.ask(getPlayback, { params: { playbackId }, query: {} }, who)).status
		expect(await play(bob)).toBe(200)
		await setUpApp(world, ada)
		await change({ requireSecondFactor: true })
		expect([await play(ada), await play(bob)]).toEqual([200, await play({})])
		expect(await play({})).toBe(403)
	})

	test('an organization that requires a second factor still looks nonexistent to people outside it', async () => {
		await setUpApp(world, ada)
		const eve = await world.person()
		const see = async () => {
			const { status, text } = await world.ask(getOrg, { params: { orgId: ada.orgId } }, eve)
			return [status, text]
		}
		const before = await see()
		await change({ requireSecondFactor: true })
		expect(await see()).toEqual(before)
	})

	test('an organization that requires a second factor accepts API keys of members without one', async () => {
		const { key } = (await newKey(bob)).ok.data
		await setUpApp(world, ada)
		await change({ requireSecondFactor: true })
		expect((await world.ask(listAssets, { query: {} }, { key })).status).toBe(200)
	})

	test('an organization that requires a second factor refuses impersonators without one', async () => {
		await setUpApp(world, ada)
		await change({ requireSecondFactor: true })
		const { token } = await start(world, root, ada)
		const read = async () => (await world.ask(listAssets, { query: {} }, { token })).code
		expect(await read()).toBe('second_factor_missing')
		await setUpApp(world, root)
		expect(await read()).toBeNull()
	})

	test('members of an organization that requires a second factor can’t remove their last one', async () => {
		await setUpApp(world, ada)
		await change({ requireSecondFactor: true })
		expect((await world.ask(removeTotp, {}, ada)).status).toBe(409)
		await change({ requireSecondFactor: false })
		expect((await world.ask(removeTotp, {}, ada)).status).toBe(200)
	})
})

describe('the security settings of an organization', () => {
	test('an organization can require a second factor only if its owner has one', async () => {
		expect((await change({ requireSecondFactor: true })).status).toBe(409)
		expect((await world.ask(getSecuritySettings, {}, ada)).ok.data.requireSecondFactor).toBe(false)
	})

	test('owners alone change the security settings of an organization, with a recent proof', async () => {
		await setUpApp(world, bob)
		expect((await change({ requireSecondFactor: true }, bob)).status).toBe(403)
		world.pass(10 * MINUTE)
		expect((await change({ recentProofForApiKeys: true })).code).toBe('reauthentication_required')
	})

	test('an organization can require a recent proof before an API key is created', async () => {
		await change({ recentProofForApiKeys: true })
		expect((await newKey(bob)).status).toBe(201)
		world.pass(10 * MINUTE)
		const once = { ...bob, headers: { 'idempotency-key': 'one-key' } }
		expect((await newKey(once)).code).toBe('reauthentication_required')
		await world.ask(reauthenticate, { body: { password: bob.password } }, bob)
		expect((await newKey(once)).status).toBe(201)
	})
})

describe('an installation with SUPERADMIN_SECOND_FACTOR', () => {
	test('SUPERADMIN_SECOND_FACTOR refuses superadmins without a second factor, who can add but not remove one', async () => {
		world = await openWorld({ SUPERADMIN_SECOND_FACTOR: 'true' })
		const root = await world.person()
		const list = () => world.ask(listUsers, { query: {} }, root)
		expect((await list()).code).toBe('second_factor_missing')
		expect((await world.ask(getOrg, { params: { orgId: root.orgId } }, root)).status).toBe(200)
		await setUpApp(world, root)
		expect((await list()).status).toBe(200)
		expect((await world.ask(removeTotp, {}, root)).status).toBe(409)
	})
})

import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { createOrg, getOrg } from '#schema/contract/accounts/orgs.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createCollection } from '#schema/contract/video/collections.ts'
import { setLogo } from '#schema/contract/watch/settings/logo.ts'
import { HOUR } from '../../../../../edge/platform/clock.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { wholePng } from '../../../../support/shared/whole-pictures.ts'
import { createEndpoint } from '../../../accounts/webhooks/receiver.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	// The first person of an installation is its superadmin, who can't be deleted.
	root = await world.person({ email: 'root@example.org' })
	ada = await world.person({ email: 'ada.lovelace@example.org', name: 'Ada Lovelace' })
})

const join = (orgId: string, who: Person, role: string, at: number) =>
	world.rows(`insert into org_members values ('${orgId}', ${who.userId}, '${role}', ${at}) returning 1`)
const rolesIn = async (orgId: string) =>
	Object.fromEntries(
		(
			await world.rows<{ id: number; role: string }>(
				`select user_id as id, role from org_members where org_id = '${orgId}'`,
			)
		).map(({ id, role }) => [id, role]),
	)

describe('an organization of a departing user', () => {
	test('an organization gets the earliest admin or else member as owner, but no departing one', {
		tags: 'd1',
	}, async () => {
		const [bob, eve, kim] = [await world.person(), await world.person(), await world.person()]
		const make = async () => (await world.ask(createOrg, { body: { name: 'Shared' } }, ada)).ok.data.id
		const [byAdmin, byMember, byStaying, shared] = [await make(), await make(), await make(), await make()]
		await join(byAdmin, eve, 'member', 1)
		await join(byAdmin, kim, 'admin', 3)
		await join(byAdmin, bob, 'admin', 2)
		await join(byMember, kim, 'member', 3)
		await join(byMember, eve, 'member', 2)
		await join(byStaying, root, 'admin', 1)
		await join(byStaying, eve, 'member', 2)
		await join(shared, bob, 'owner', 9)
		await join(shared, eve, 'admin', 1)
		await world.ask(createApiKey, { params: { orgId: byAdmin }, body: { name: 'k' } }, { token: ada.token })
		await world.request(root)
		await world.request(ada)
		await world.execute()
		expect(await rolesIn(byAdmin)).toEqual({
			[eve.userId]: 'member',
			[kim.userId]: 'admin',
			[bob.userId]: 'owner',
		})
		expect(await rolesIn(byMember)).toEqual({ [kim.userId]: 'member', [eve.userId]: 'owner' })
		expect(await rolesIn(byStaying)).toEqual({ [root.userId]: 'admin', [eve.userId]: 'owner' })
		expect(await rolesIn(shared)).toEqual({ [bob.userId]: 'owner', [eve.userId]: 'admin' })
	})

	test('an organization changes its owner with an entry in the audit log', { tags: 'd1' }, async () => {
		const [bob, eve] = [await world.person(), await world.person()]
		const { id } = (await world.ask(createOrg, { body: { name: 'Second' } }, ada)).ok.data
		await join(id, bob, 'admin', 1)
		await join(ada.orgId, eve, 'member', 1)
		await world.request(ada)
		await world.execute()
		const entries = await world.rows<{ id: string; target_salt: string }>(
			"select * from audit_log where action = 'member.role_changed' order by actor_kind, target_user_id",
		)
		const entryOf = (orgId: string, { userId, email }: Person, before: string) => ({
			...{ id: expect.stringMatching(/^aud_[0-9a-z]{26}$/), org_id: orgId, actor_kind: 'system' },
			...{ actor_user_id: null, target_kind: 'user', target_id: String(userId), target_user_id: userId },
			...{ target_email: email, target_salt: expect.stringMatching(/^[0-9a-f]{32}$/) },
			details: JSON.stringify({ role: 'owner', before, because: 'account_deleted' }),
		})
		expect(entries).toMatchObject([entryOf(id, bob, 'admin'), entryOf(ada.orgId, eve, 'member')])
		expect(new Set(entries.map((entry) => entry.target_salt)).size).toBe(2)
	})

	test('an organization with other members stays, without the departing user’s keys and invitations', {
		tags: 'd1',
	}, async () => {
		const bob = await world.person()
		await join(ada.orgId, bob, 'member', 1)
		const params = { orgId: ada.orgId }
		const { key } = (await world.ask(createApiKey, { params, body: { name: 'ci' } }, ada)).ok.data
		await world.ask(inviteMember, { params, body: { email: 'later@example.org', role: 'owner' } }, ada)
		await world.request(ada)
		await world.execute()
		expect(await world.rows('select id from org_invitations')).toEqual([])
		expect((await world.ask(getOrg, { params }, { key })).status).toBe(401)
		const org = await world.ask(getOrg, { params }, { token: await world.logIn(bob) })
		expect(org.ok.data).toMatchObject({ id: ada.orgId, name: 'Organization' })
		expect(org.ok.data.slug).toMatch(/^org-[0-9a-f]{16}$/)
		expect(await world.rows('select id from api_keys')).toEqual([])
	})

	test('an organization keeps a chosen name when its owner departs', { tags: 'd1' }, async () => {
		const bob = await world.person()
		const { id } = (
			await world.ask(createOrg, { body: { name: 'Analytical Engines', slug: 'engines' } }, ada)
		).ok.data
		await join(id, bob, 'member', 1)
		await world.request(ada)
		await world.execute()
		expect(await world.rows(`select name, slug from orgs where id = '${id}'`)).toEqual([
			{ name: 'Analytical Engines', slug: 'engines' },
		])
	})

	test('an organization without other members loses its videos, their objects and their comments', {
		tags: 'd1',
	}, async () => {
		const make = async (who: Person) =>
			(await world.ask(createAsset, { body: { title: 'Film' } }, who)).ok.data
		const [mine, other] = [await make(ada), await make(root)]
		const { MEDIA, VAULT } = world.bindings
		for (const asset of [mine, other]) {
			await VAULT.put(`sources/${asset.id}/source`, 'x')
			await MEDIA.put(`media/${asset.playbackId}/v/0.m4s`, 'x')
			await world.rows(
				`insert into comments values ('c${asset.id}', '${asset.id}', 'V', 'Nice', null, null, 1) returning 1`,
			)
			await world.rows(`insert into reactions values ('${asset.id}', 'viewer', '🔥') returning 1`)
			await world.rows(`insert into reaction_counts values ('${asset.id}', '🔥', 1) returning 1`)
			await world.rows(
				`insert into asset_subtitles (asset_id, language, key, updated_at, source) values ('${asset.id}', 'en', 'key', 1, 'upload') returning 1`,
			)
		}
		await world.ask(createCollection, { body: { name: 'Films', color: 'teal' } }, ada)
		await world.request(ada)
		await world.execute()
		expect(await world.rows('select id from assets')).toEqual([{ id: other.id }])
		for (const table of ['comments', 'reactions', 'reaction_counts', 'asset_search', 'asset_subtitles'])
			expect(await world.rows(`select asset_id as id from ${table}`), table).toEqual([{ id: other.id }])
		expect(await world.rows('select id from collections')).toEqual([])
		expect((await VAULT.list({ prefix: 'sources/' })).objects.map(({ key }) => key)).toEqual([
			`sources/${other.id}/source`,
		])
		expect((await MEDIA.list()).objects.map(({ key }) => key)).toEqual([`media/${other.playbackId}/v/0.m4s`])
	})

	test('an organization without other members loses its logo', { tags: 'd1' }, async () => {
		for (const who of [ada, root]) await world.ask(setLogo, {}, { ...who, bytes: wholePng })
		const [{ logo } = { logo: '' }] = await world.rows<{ logo: string }>(
			`select logo_key as logo from orgs where id = '${root.orgId}'`,
		)
		expect((await world.bindings.MEDIA.list()).objects).toHaveLength(2)
		await world.request(ada)
		await world.execute()
		expect((await world.bindings.MEDIA.list()).objects.map(({ key }) => key)).toEqual([logo])
	})

	test('an organization without other members is deleted with all rows and objects', async () => {
		const params = { orgId: ada.orgId }
		await world.ask(createApiKey, { params, body: { name: 'k' } }, ada)
		await world.ask(inviteMember, { params, body: { email: 'new@example.net' } }, ada)
		await world.rows(
			`insert into usage_counters values ('${ada.orgId}', 'encode_ms', 'total', 7) returning 1`,
		)
		const { id: endpointId } = await createEndpoint(world, ada)
		const { playbackId } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		await world.rows(
			`insert into webhook_attempts (url, payload, endpoint_id, event_id, number, org_id, started_at, duration_ms) values ('', 'full', '${endpointId}', 'evt', 1, '${ada.orgId}', 1, 1) returning 1`,
		)
		const { MEDIA } = world.bindings
		for (let i = 0; i < 1_050; i += 50)
			await Promise.all(
				Array.from({ length: 50 }, (_, j) => MEDIA.put(`media/${playbackId}/${i + j}.m4s`, 'x')),
			)
		await MEDIA.put(`media/${playbackId}0/0.m4s`, 'of another one')
		await world.request(ada)
		await world.execute()
		for (const table of [
			...['api_keys', 'org_invitations', 'usage_counters'],
			...['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'],
		])
			expect([table, await world.rows(`select * from ${table}`)]).toEqual([table, []])
		expect(await world.rows("select type from outbox where payload like '%Film%' or sequence > 0")).toEqual(
			[],
		)
		expect(await world.rows('select id from orgs')).toEqual([{ id: root.orgId }])
		const left = async () => (await MEDIA.list()).objects.map(({ key }) => key)
		expect(await left()).toEqual([`media/${playbackId}0/0.m4s`])
		// A machine that has not learned of the deletion writes another object.
		await MEDIA.put(`media/${playbackId}/late.m4s`, 'x')
		world.pass(25 * HOUR)
		await world.cron('* * * * *')
		await world.settle()
		expect(await left()).toEqual([`media/${playbackId}0/0.m4s`])
		expect(await world.rows('select * from storage_purges')).toEqual([])
	})
})

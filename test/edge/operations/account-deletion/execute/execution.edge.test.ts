import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { login, signup } from '#schema/contract/accounts/identity.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { createOrg, getOrg } from '#schema/contract/accounts/orgs.ts'
import { listSessions } from '#schema/contract/accounts/sessions.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createCollection } from '#schema/contract/video/collections.ts'
import { setLogo } from '#schema/contract/watch/settings/logo.ts'
import { executeAccountDeletion } from '../../../../../edge/operations/account-deletion/execute/execution.ts'
import { DAY, HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
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

const requestOf = async () =>
	(
		await world.rows<{ id: string; status: string; userId: number | null }>(
			'select *, user_id as "userId" from account_deletion_requests order by rowid desc',
		)
	)[0] as { id: string; status: string; userId: number | null }
const actions = async (id: string) =>
	(
		await world.rows<{ action: string }>(
			`select action from account_deletion_logs where deletion_request_id = '${id}' order by id`,
		)
	).map(({ action }) => action)
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

describe('the grace period', () => {
	test('an execution after the grace period deletes the account and keeps its request without a user', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		await world.execute()
		expect(await world.rows('select email from users')).toEqual([{ email: root.email }])
		const request = await requestOf()
		expect(request).toMatchObject({
			status: 'completed',
			user_id: null,
			completed_at: world.now,
			token_nonce: null,
			cancellation_token_hash: null,
		})
		expect(await actions(request.id)).toEqual(['requested', 'executed'])
		expect(world.mailsTo(ada.email).at(-1)?.subject).toBe('Your Playhouse account was deleted')
	})

	test('a millisecond before the grace period ends, no deletion is executed', { tags: 'd1' }, async () => {
		await world.request(ada)
		await world.settle()
		world.pass(30 * DAY - 1)
		await world.cron('*/10 * * * *')
		expect(world.messages).toEqual([])
		world.pass(1)
		await world.cron('*/10 * * * *')
		expect(world.messages.map(({ type }) => type)).toEqual(['deletion.execute'])
	})

	test('an executed deletion revokes old tokens, and the address can sign up as a new user', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		const token = await world.readMailedToken(ada)
		const session = await world.logIn(ada)
		await world.execute()
		expect((await world.ask(listSessions, {}, { token: session })).status).toBe(401)
		expect((await world.status({ token: ada.token })).status).toBe(401)
		expect((await world.ask(login, { body: { email: ada.email, password: ada.password } })).status).toBe(401)
		const again = await world.ask(
			signup,
			{ body: { email: ada.email, password: 'another one', name: 'Ada' } },
			{ ip: '198.51.100.251' },
		)
		expect(again.ok.data.user.id).toBeGreaterThan(ada.userId)
		expect((await world.cancel({ token: again.ok.data.token }, token)).status).toBe(404)
		expect((await world.status({ token: again.ok.data.token })).ok).toEqual({ has_pending_deletion: false })
	})

	test('repeated and concurrent executions of a deletion change nothing', async () => {
		await world.request(ada)
		await world.settle()
		const { id } = await requestOf()
		await Promise.all(Array.from({ length: 5 }, () => world.perform((d) => executeAccountDeletion(d, id))))
		await world.settle()
		const before = await world.dump()
		await world.perform((d) => executeAccountDeletion(d, id))
		await world.settle()
		expect(await world.dump()).toEqual(before)
		expect(await actions(id)).toEqual(['requested', 'executed'])
		expect(world.mailsTo(ada.email).filter(({ subject }) => subject.includes('was deleted'))).toHaveLength(1)
	})

	test('executes confirmed deletion requests alone', { tags: 'd1' }, async () => {
		await world.request(ada)
		const { id } = await requestOf()
		for (const status of ['pending', 'cancelled']) {
			await world.rows(
				`update account_deletion_requests set status = '${status}' where id = '${id}' returning 1`,
			)
			await world.perform((d) => executeAccountDeletion(d, id))
			expect(await world.rows(`select id from users where id = ${ada.userId}`)).toHaveLength(1)
		}
		await world.perform((d) => executeAccountDeletion(d, 'del_unknown'))
	})

	test('a later sweep queues a deletion whose message was lost', { tags: 'd1' }, async () => {
		await world.request(ada)
		await world.settle()
		world.pass(30 * DAY)
		await world.cron('*/10 * * * *')
		world.messages.length = 0
		world.pass(10 * MINUTE)
		await world.cron('*/10 * * * *')
		expect(world.messages).toEqual([])
		world.pass(30 * MINUTE)
		await world.cron('*/10 * * * *')
		await world.settle()
		expect((await requestOf()).status).toBe('completed')
	})

	test('a failed batch changes nothing, and the next run completes the deletion', async () => {
		await world.request(ada)
		await world.settle()
		const { id } = await requestOf()
		await world.rows(
			`create trigger no_way before delete on users when old.id = ${ada.userId} begin select raise(abort, 'no'); end`,
		)

		const before = await world.dump()
		await expect(world.perform((d) => executeAccountDeletion(d, id))).rejects.toThrow()
		const after = await world.dump()
		expect({ ...after, account_deletion_requests: 0 }).toEqual({ ...before, account_deletion_requests: 0 })
		expect((await requestOf()).status).toBe('confirmed')
		// Once a run has begun, the request can't be cancelled.
		expect((await world.cancel(ada, await world.readMailedToken(ada))).status).toBe(404)
		await world.rows('drop trigger no_way')
		await world.perform((d) => executeAccountDeletion(d, id))
		expect((await requestOf()).status).toBe('completed')
	})
})

describe('crashes during an execution', () => {
	test('a deletion that fails between two steps resumes there, and erased rows stay erased', async () => {
		const many = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)'
		await world.rows(
			`insert into sessions (id, user_id, user_agent, ip, by_code, created_at, last_seen_at, expires_at, proved_at, renewal_id, former_renewal_id, renewed_at, country, second_factor_at) ${many} select 'ses_x' || i, ${ada.userId}, 'Browser', '203.0.113.1', 0, i, i, 9e15, i, '', null, null, null, null from n returning 1`,
		)
		const { ok } = await world.request(ada)
		const token = await world.readMailedToken(ada)
		await world.rows(
			`create trigger die before delete on sessions when old.id = 'ses_x5000' begin select raise(abort, 'dead'); end`,
		)
		const left = async () =>
			(await world.rows(`select id from sessions where user_id = ${ada.userId}`)).length
		for (let i = 0; i < 2; i++) {
			await expect(world.perform((d) => executeAccountDeletion(d, ok.id))).rejects.toThrow()
			// Two steps of 2,000 rows were committed, and the third one was rolled back as a whole.
			expect(await left()).toBe(5_001)
		}
		expect((await world.ask(listSessions, {}, ada)).status).toBe(401)
		const session = await world.logIn(ada)
		expect((await world.cancel({ token: session }, token)).status).toBe(404)
		expect((await world.status({ token: session })).ok).toMatchObject({ status: 'confirmed' })
		await world.rows('drop trigger die')
		await world.perform((d) => executeAccountDeletion(d, ok.id))
		expect([await left(), (await requestOf()).status]).toEqual([0, 'completed'])
		expect(await actions(ok.id)).toEqual(['requested', 'executed'])
	})
})

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

describe('the last superadmin', () => {
	test('the last superadmin is not deleted and an error is logged, until there is a second one', {
		tags: 'd1',
	}, async () => {
		await world.request(root)
		await world.execute()
		const { id, status } = await requestOf()
		expect(status).toBe('confirmed')
		expect(await actions(id)).not.toContain('executed')
		expect(
			world.logs.filter(({ level, message }) => level === 'error' && /last superadmin/.test(message)),
		).toHaveLength(1)
		expect((await world.rows('select id from users')).length).toBe(2)
		await world.rows(`update users set is_superadmin = 1 where id = ${ada.userId} returning 1`)
		world.pass(HOUR)
		await world.cron('*/10 * * * *')
		await world.settle()
		expect((await requestOf()).status).toBe('completed')
	})

	test('the last superadmin can still cancel the deletion', { tags: 'd1' }, async () => {
		await world.request(root)
		const token = await world.readMailedToken(root)
		await world.execute()
		const session = await world.logIn(root)
		expect((await world.cancel({ token: session }, token)).status).toBe(200)
	})

	test('one superadmin remains when two are deleted at the same time', async () => {
		await world.rows(`update users set is_superadmin = 1 where id = ${ada.userId} returning 1`)
		await world.request(root)
		await world.request(ada)
		const ids = await world.rows<{ id: string }>('select id from account_deletion_requests')
		await Promise.all(ids.map(({ id }) => world.perform((d) => executeAccountDeletion(d, id))))
		const states = await world.rows<{ status: string; executing: number | null }>(
			'select status, executing_at as executing from account_deletion_requests order by status',
		)
		expect(states.map(({ status }) => status)).toEqual(['completed', 'confirmed'])
		expect(states[1]?.executing).toBeNull()
		expect(await world.rows('select id from users where is_superadmin = 1')).toHaveLength(1)
	})
})

/** npm run prove -- account-deletion runs 100 races. */
const RACES = env.SIMULATED_REQUESTS ? 100 : 30

describe('a cancellation during an execution', () => {
	test.each(['cancel first', 'execute first'] as const)(
		`a cancellation succeeds only if the execution does not, in ${RACES} races: %s`,
		async (order) => {
			const outcomes: string[] = []
			for (let i = 0; i < RACES; i++) {
				const who = await world.person({ email: `race${order.length}-${i}@example.org` })
				const { ok } = await world.request(who)
				const token = await world.readMailedToken(who)
				const cancel = () => world.cancel(who, token)
				const execute = () =>
					world.deps(async (d) => {
						// If the cancellation starts first, its head start grows.
						const lead = order === 'cancel first' ? i % 10 : 0
						for (let trip = 0; trip < lead; trip++) await d.db.all('select 1')
						await executeAccountDeletion(d, ok.id)
					})
				const answer =
					order === 'cancel first'
						? (await Promise.all([cancel(), execute()]))[0]
						: (await Promise.all([execute(), cancel()]))[1]
				const isCancelled = answer.status === 200
				// The account may be deleted before the request is authenticated.
				expect([200, 401, 404]).toContain(answer.status)
				expect((await actions(ok.id)).slice(1)).toEqual([isCancelled ? 'cancelled' : 'executed'])
				const [request] = await world.rows<{ status: string }>(
					`select status from account_deletion_requests where id = '${ok.id}'`,
				)
				expect(request?.status).toBe(isCancelled ? 'cancelled' : 'completed')
				expect(await world.rows(`select id from users where id = ${who.userId}`)).toHaveLength(
					isCancelled ? 1 : 0,
				)
				outcomes.push(isCancelled ? 'cancelled' : 'executed')
			}
			expect(outcomes).toHaveLength(RACES)
			expect(outcomes).toContain('executed')
			if (order === 'cancel first') expect(outcomes).toContain('cancelled')
		},
	)

	test('a cancellation fails once the execution has begun', { tags: 'd1' }, async () => {
		const { ok } = await world.request(ada)
		const token = await world.readMailedToken(ada)
		// The state after an execution that failed in its first step.
		await world.rows(
			`update account_deletion_requests set executing_at = ${world.now} where id = '${ok.id}' returning 1`,
		)
		expect((await world.cancel(ada, token)).status).toBe(404)
	})
})

import { beforeEach, describe, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { expediteDeletion, replayErasures } from '#schema/contract/operations/account-deletion.ts'
import { DAY, MINUTE } from '../../../../../edge/platform/clock.ts'
import { storedObjects } from '../../../../support/edge/stored-objects.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	root = await world.person({ email: 'root@example.org' })
	ada = await world.person({ email: 'ada@example.org' })
})

const isThere = async (userId: number) =>
	(await world.rows(`select id from users where id = ${userId}`)).length === 1
const expedite = (body: { email: string } | { userId: number }, who = root) =>
	world.ask(expediteDeletion, { body }, who)

describe('expediting a deletion', () => {
	test('expediting a deletion executes an open request at once', async () => {
		const { ok } = await world.request(ada)
		const answer = await expedite({ email: 'Ada@example.org' })
		expect([answer.status, answer.ok.data]).toEqual([
			202,
			{ requestId: ok.id, userId: ada.userId, created: false },
		])
		await world.settle()
		expect(await isThere(ada.userId)).toBe(false)
		expect(await world.rows('select action, details from account_deletion_logs order by id')).toEqual([
			{ action: 'requested', details: '{}' },
			{ action: 'confirmed', details: '{"expedited":true,"by":"operator"}' },
			{ action: 'executed', details: '{}' },
		])
		expect(world.mailsTo(ada.email).at(-1)?.subject).toBe('Your Playhouse account was deleted')
	})

	test('expediting a deletion creates a request if there is none, and survives a lost message', async () => {
		expect((await expedite({ userId: ada.userId })).ok.data.created).toBe(true)
		world.messages.length = 0
		await world.cron('*/10 * * * *')
		await world.settle()
		expect(await isThere(ada.userId)).toBe(false)
	})

	test('expediting fails for the last superadmin, unknown users, other callers and without a recent proof', async () => {
		expect((await expedite({ userId: root.userId })).status).toBe(409)
		expect((await expedite({ email: 'nobody@example.org' })).status).toBe(404)
		expect((await expedite({ userId: root.userId }, ada)).status).toBe(403)
		world.pass(10 * MINUTE)
		expect((await expedite({ userId: ada.userId })).code).toBe('reauthentication_required')
		expect(await world.rows('select id from account_deletion_requests')).toEqual([])
	})
})

describe('the erasure ledger', () => {
	const replay = async () => {
		const pages = []
		let cursor: string | null = null
		do {
			const { ok } = (await world.ask(replayErasures, { body: { cursor } }, root)) as {
				ok: { data: { read: number; erasing: number; cursor: string | null } }
			}
			pages.push(ok.data)
			cursor = ok.data.cursor
		} while (cursor !== null)
		await world.settle()
		return {
			read: pages.reduce((sum, { read }) => sum + read, 0),
			erasing: pages.reduce((sum, { erasing }) => sum + erasing, 0),
		}
	}
	/** Creates the state after a restore of a backup from before the deletion. */
	const restore = async (who: Person) => {
		await world.rows('delete from account_deletion_requests returning 1')
		await world.rows('delete from account_deletion_logs returning 1')
		await world.rows('delete from erasure_ledger returning 1')
		await world.rows(
			`insert into users (id, email, name, created_at, updated_at) values (${who.userId}, '${who.email}', 'Ada', ${world.now - 60 * DAY}, 0) returning 1`,
		)
		await world.rows(
			`insert into sessions (id, user_id, user_agent, ip, by_code, created_at, last_seen_at, expires_at, proved_at, renewal_id, former_renewal_id, renewed_at, country, second_factor_at) values ('ses_back', ${who.userId}, 'Browser', '203.0.113.7', 0, 1, 1, 9e15, 1, '', null, null, null, null) returning 1`,
		)
	}

	test('the erasure ledger is stored in the database and the vault, without names or addresses', async () => {
		const { ok } = await world.request(ada, { delete_content: true })
		await world.execute()
		const [inside] = await world.rows('select * from erasure_ledger')
		expect(inside).toEqual({
			id: ok.id,
			user_id: ada.userId,
			delete_content: 1,
			completed_at: world.now,
			purge_after: world.now + 365 * DAY,
		})
		const outside = await world.bindings.VAULT.get(`erasures/${ok.id}.json`)
		expect(await outside?.json()).toEqual({
			id: ok.id,
			userId: ada.userId,
			deleteContent: true,
			completedAt: world.now,
			purgeAfter: world.now + 365 * DAY,
		})
	})

	test('a replay of erasures deletes a restored user without a mail, and a second one finds nothing', async () => {
		await world.request(ada)
		await world.execute()
		await restore(ada)
		const mails = world.sent.length
		root.token = await world.logIn(root)
		expect(await replay()).toEqual({ read: 1, erasing: 1 })
		expect(await isThere(ada.userId)).toBe(false)
		expect(await world.rows("select id from sessions where id = 'ses_back'")).toEqual([])
		expect(world.sent).toHaveLength(mails)
		expect(await replay()).toEqual({ read: 2, erasing: 0 })
		expect(await world.rows('select distinct user_id as id from erasure_ledger')).toEqual([
			{ id: ada.userId },
		])
	})

	test('a replay of erasures uses an open request that was restored with the backup', async () => {
		await world.request(ada)
		await world.execute()
		await restore(ada)
		await world.rows(
			`insert into account_deletion_requests values ('del_back', ${ada.userId}, 'confirmed', 0, 1, 9e15, 1, null, null, null, 9e15, null, null) returning 1`,
		)
		root.token = await world.logIn(root)
		expect(await replay()).toEqual({ read: 1, erasing: 1 })
		expect(await world.rows('select id, status from account_deletion_requests')).toEqual([
			{ id: 'del_back', status: 'completed' },
		])
	})

	test('a replay of erasures keeps a new user who got the same id after the restore', async () => {
		await world.request(ada)
		await world.execute()
		await world.rows(`update sqlite_sequence set seq = ${ada.userId - 1} where name = 'users' returning 1`)
		world.pass(DAY)
		const fresh = await world.ask(
			signup,
			{ body: { email: 'new@example.org', password: 'long enough', name: 'New' } },
			{ ip: '198.51.100.252' },
		)
		expect(fresh.ok.data.user.id).toBe(ada.userId)
		root.token = await world.logIn(root)
		expect(await replay()).toEqual({ read: 1, erasing: 0 })
		expect(await isThere(ada.userId)).toBe(true)
	})

	test('a replay of erasures reads the ledger in pages', async () => {
		for (let i = 0; i < 205; i++)
			await world.bindings.VAULT.put(
				`erasures/del_${i}.json`,
				JSON.stringify({
					id: `del_${i}`,
					userId: 9_000 + i,
					deleteContent: false,
					completedAt: 1,
					purgeAfter: 9e12,
				}),
			)
		expect(await replay()).toEqual({ read: 205, erasing: 0 })
		expect(await world.rows('select count(*) as n from erasure_ledger')).toEqual([{ n: 205 }])
	})

	test('an erasure leaves the database and the vault when no backup can contain the person any more', async () => {
		const storedKeys = async () =>
			(await storedObjects(world.bindings.VAULT)).map(({ key }) => key).toSorted()
		await world.request(ada)
		await world.execute()
		world.pass(364 * DAY)
		await world.cron('17 3 * * *')
		expect(await storedKeys()).toEqual([expect.stringMatching(/^erasures\//), 'last-erasure.json'])
		world.pass(2 * DAY)
		await world.cron('17 3 * * *')
		// The time of the erasure stays, for the audit log. It leads to nobody.
		expect(await storedKeys()).toEqual(['last-erasure.json'])
		expect(await world.rows('select * from erasure_ledger')).toEqual([])
	})
})

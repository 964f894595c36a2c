import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { listAuditChain } from '#schema/contract/accounts/audit/audit-log.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { sealEntries } from '../../../../edge/accounts/audit/seal.ts'
import { features } from '../../../../edge/features.ts'
import { executeAccountDeletion } from '../../../../edge/operations/account-deletion/execute/execution.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import type { Deps } from '../../../../edge/platform/deps.ts'
import { orderPageItems } from '../../../../scripts/operate/audit/page-items.ts'
import { type ChainItem, verifyChain } from '../../../../scripts/operate/audit/verify-chain.ts'
import type { Asked } from '../../../support/edge/asked.ts'
import type { Person } from '../../../support/edge/world.ts'
import { type DeletionWorld, openDeletionWorld } from '../../operations/account-deletion/deletion-world.ts'
import { openReceiverWorld } from '../webhooks/receiver.ts'

const EACH_MINUTE = '* * * * *'
let world: DeletionWorld
let root: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	root = await world.person()
})

const seal = () => world.cron(EACH_MINUTE)
const change = (times = 1) =>
	Promise.all(
		Array.from({ length: times }, () => world.ask(updateSettings, { body: { theme: 'dark' } }, root)),
	)
const heads = async () =>
	(await world.bindings.VAULT.list({ prefix: 'audit-heads/' })).objects.map(({ key }) => key)

/** Verifies the chain as `scripts/operate/audit-verify.ts` does. */
async function verify(limit = 500) {
	async function* items(): AsyncGenerator<ChainItem> {
		for (let after: number | null = 0; after !== null; ) {
			const asked: Asked<typeof listAuditChain> = await page(after, limit)
			const { data } = asked.ok
			yield* orderPageItems(data)
			after = data.next
		}
	}
	return verifyChain(items())
}
const page = (after: number, limit: number) =>
	world.ask(listAuditChain, { query: { after: String(after), limit: String(limit) } }, root)

describe('the sealer', () => {
	test('sealing chains new rows of the audit log each minute and leaves the last hash in the vault', {
		tags: 'd1',
	}, async () => {
		expect(await verify()).toMatchObject({ rows: 2, unsealed: 2, heads: 0, problem: null })
		await seal()
		expect(await verify()).toMatchObject({ rows: 2, unsealed: 0, heads: 1, problem: null })
		await change(3)
		await seal()
		await seal()
		expect(await verify(2)).toMatchObject({ rows: 5, unsealed: 0, heads: 2, problem: null })
		expect(await heads()).toEqual([
			expect.stringMatching(/^audit-heads\/000000000000002-[0-9a-f]{64}$/),
			expect.stringMatching(/^audit-heads\/000000000000005-[0-9a-f]{64}$/),
		])
	})

	test('sealing seals each row of the audit log once when two runs overlap', async () => {
		await change(3)
		await Promise.all([world.perform(sealEntries), world.perform(sealEntries)])
		expect(await verify()).toMatchObject({ rows: 5, unsealed: 0, problem: null })
	})

	test('sealing handles thousands of rows of the audit log in steps', { tags: 'd1' }, async () => {
		await world.rows(
			`insert into audit_log (id, org_id, action, actor_kind, details, created_at) select 'aud_' || printf('%026d', value), '${root.orgId}', 'org.updated', 'system', '{}', ${world.now} from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 2100) select value from n) returning 1`,
		)
		await seal()
		expect(await verify()).toMatchObject({ rows: 2102, unsealed: 102, heads: 1, problem: null })
		await seal()
		expect(await verify()).toMatchObject({ rows: 2102, unsealed: 0, heads: 2, problem: null })
	})

	test('sealing copies the last hash again at night if it is missing in the vault', {
		tags: 'd1',
	}, async () => {
		await seal()
		await world.bindings.VAULT.delete(await heads())
		await seal()
		expect(await heads()).toEqual([])
		await world.cron('17 3 * * *')
		expect(await heads()).toHaveLength(1)
	})

	test('the last seal is compared with every hash in the vault, however many restores left', {
		tags: 'd1',
	}, async () => {
		await change(3)
		await seal()
		const [head = ''] = await heads()
		const former = Array.from({ length: 1_010 }, (_, i) => String(i).padStart(64, '0'))
		await Promise.all(
			former.map((hash) => world.bindings.VAULT.put(`audit-heads/000000000000003-${hash}`, '')),
		)
		const { data } = (await page(0, 5)).ok
		expect(data.heads).toHaveLength(1_011)
		expect(data.heads.at(-1)?.hash).toBe(head.slice(-64))
	})

	test('sealing copies the last hash in the next minute if a run died before the vault', {
		tags: 'd1',
	}, async () => {
		await world.perform((deps) => expect(sealEntries(withVault(deps, refusing))).rejects.toThrow('vault'))
		expect(await verify()).toMatchObject({ unsealed: 0, heads: 0 })
		await seal()
		expect(await heads()).toHaveLength(1)
	})

	test('sealing copies the hash of rows that another run sealed, which may have died since', async () => {
		await world.perform(async (deps) => {
			let isFirst = true
			// The other run seals between the reads of this run and its batch.
			const batch: typeof deps.db.batch = async (statements) => {
				if (isFirst) {
					isFirst = false
					await expect(sealEntries(withVault(deps, refusing))).rejects.toThrow('vault')
				}
				return await deps.db.batch(statements)
			}
			const db = new Proxy(deps.db, {
				get: (target, name) => (name === 'batch' ? batch : Reflect.get(target, name, target)),
			})
			await sealEntries({ ...deps, db })
		})
		expect(await verify()).toMatchObject({ rows: 2, unsealed: 0, heads: 1, problem: null })
	})

	test('sealing reads the vault once for each head', { tags: 'd1' }, async () => {
		await seal()
		const calls: string[] = []
		const counting = async (name: string) => void calls.push(name)
		await world.perform((deps) => sealEntries(withVault(deps, counting)))
		expect(calls).toEqual([])
		await change()
		await world.perform((deps) => sealEntries(withVault(deps, counting)))
		expect(calls).toEqual(['head', 'put'])
	})

	test('sealing costs two statements while there is nothing to seal', { tags: 'd1' }, async () => {
		await seal()
		const before = world.statements.length
		await world.perform(sealEntries)
		expect(world.statements.slice(before)).toHaveLength(2)
	})
})

/** Replaces the vault by one that does what a test says. */
const withVault = (deps: Deps, answer: (name: 'head' | 'put') => Promise<unknown>): Deps => {
	const VAULT = { head: () => answer('head'), put: () => answer('put') } as never
	return { ...deps, env: { ...deps.env, bindings: { ...deps.env.bindings, VAULT } } }
}
const refusing = async (name: string) => {
	if (name === 'put') throw new Error('the vault does not answer')
	return null
}

describe('finding changes in the database', { tags: 'd1' }, () => {
	beforeEach(async () => {
		await change(4)
		await seal()
	})

	test.each([
		["update audit_log set action = 'org.updated' where position = 4 returning 1", 4],
		["update audit_log set details = '{}' where position = 3 returning 1", 3],
		["update audit_log set ip_address = '192.0.2.99' where position = 5 returning 1", 5],
		['update audit_log set actor_user_id = 7 where position = 1 returning 1', 1],
		['delete from audit_log where position = 3 returning 1', 4],
		['delete from audit_log where position >= 5 returning 1', 5],
		["update audit_seals set hash = 'x' where position = 2 returning 1", 2],
		['delete from audit_seals where position = 6 returning 1', 6],
		[
			"insert into audit_seals (position, hash, sealed_at) values (999999999, 'x', 1) returning 1",
			999_999_999,
		],
		["insert into audit_seals (position, hash, sealed_at) values (-1, 'x', 1) returning 1", -1],
		[
			"insert into audit_log (position, id, action, actor_kind, details, created_at) values (-1, 'aud_x', 'org.updated', 'system', '{}', 1) returning 1",
			-1,
		],
	])(
		'the verification of the audit log finds this change in the database: %s',
		async (statement, position) => {
			expect(await verify()).toMatchObject({ rows: 6, problem: null })
			await world.rows(statement)
			expect((await verify()).problem).toMatchObject({ position })
		},
	)

	test('the verification of the audit log finds after ten minutes that rows are no longer sealed', async () => {
		await world.rows("create trigger stop before insert on audit_seals begin select raise(abort, 'no'); end")
		onTestFinished(async () => void (await world.rows('drop trigger stop')))
		await change(2)
		await expect(seal()).rejects.toThrow()
		world.pass(9 * MINUTE)
		expect(await verify()).toMatchObject({ rows: 8, unsealed: 2, problem: null })
		world.pass(2 * MINUTE)
		expect((await verify()).problem).toMatchObject({
			position: 7,
			what: expect.stringContaining('it is not sealed'),
		})
	})

	test('a forged seal for a later position does not stop the sealing of the audit log', async () => {
		await world.rows(
			"insert into audit_seals (position, hash, sealed_at) values (999999999, 'x', 1) returning 1",
		)
		await change()
		await seal()
		await world.rows('delete from audit_seals where position = 999999999 returning 1')
		expect(await verify()).toMatchObject({ rows: 7, unsealed: 0, problem: null })
	})

	test('the hash in the vault reveals that the chain of the audit log was rebuilt', async () => {
		await world.rows("update audit_log set action = 'org.updated' where position = 6 returning 1")
		await world.rows('delete from audit_seals returning 1')
		await seal()
		expect((await verify()).problem?.what).toContain('the chain was rebuilt')
	})
})

test('erasing a person keeps the chain of the audit log intact, and no trace of the person', {
	tags: 'd1',
}, async () => {
	const ada = await world.person({ email: 'ada.lovelace@example.org' })
	const byAda = { params: { orgId: ada.orgId }, body: { name: 'k' } }
	await world.ask(createApiKey, byAda, { ...ada, ip: '203.0.113.77' })
	await world.ask(inviteMember, { params: { orgId: root.orgId }, body: { email: ada.email } }, root)
	await seal()
	const before = await verify()
	expect(before).toMatchObject({ erased: 0, problem: null })
	const rows = async () => JSON.stringify(await world.rows('select * from audit_log'))
	expect(await rows()).toMatch(/ada\.lovelace.*203\.0\.113\.77/)
	await world.request(ada)
	await world.execute()
	await seal()
	root.token = await world.logIn(root)
	expect(await world.rows(`select 1 from users where id = ${ada.userId}`)).toEqual([])
	expect(await verify()).toMatchObject({
		rows: before.rows,
		erased: 3,
		hasComparedErasures: true,
		problem: null,
	})
	expect(await rows()).not.toMatch(/ada\.lovelace|203\.0\.113\.77/)
})

const blank = (where: string) =>
	world.rows(
		`update audit_log set actor_user_id = null, actor_email = null, ip_address = null, actor_salt = null where ${where} returning 1`,
	)

test.each(['completed', 'confirmed'])(
	'a forged account deletion that is %s in the database excuses no row without its actor',
	async (status) => {
		const ada = await world.person()
		await world.request(ada)
		await world.execute()
		root.token = await world.logIn(root)
		world.pass(31 * MINUTE)
		await change()
		await seal()
		const { rows, problem } = await verify()
		expect(problem).toBeNull()
		await blank(`position = ${rows}`)
		// A sweep would execute the forged request and note it, so it is not due.
		await world.rows(
			`insert into account_deletion_requests (id, user_id, status, delete_content, requested_at, scheduled_for, confirmed_at, completed_at, executing_at, due_at) values ('del_forged', ${status === 'completed' ? 'null' : root.userId}, '${status}', 0, 1, 1, 1, ${world.now}, ${world.now}, 9e15) returning 1`,
		)
		expect((await verify()).problem).toMatchObject({
			position: rows,
			what: 'its actor or IP address was removed by hand: no account was deleted since',
		})
	},
)

test('rows that an account deletion blanked before it was interrupted are excused', async () => {
	const ada = await world.person()
	await world.rows(
		`insert into audit_log (id, org_id, action, actor_kind, actor_user_id, actor_salt, details, created_at) select 'aud_' || printf('%026d', value), '${root.orgId}', 'org.updated', 'user', ${ada.userId}, 'salt', '{}', ${world.now} from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 1100) select value from n) returning 1`,
	)
	await seal()
	const { rows } = await verify()
	await world.request(ada)
	await world.settle()
	world.pass(30 * DAY)
	const [request] = await world.rows<{ id: string }>('select id from account_deletion_requests')
	const run = () => world.perform((deps) => executeAccountDeletion(deps, request?.id ?? ''))
	await world.rows("create trigger die before delete on users begin select raise(abort, 'dead'); end")
	await expect(run()).rejects.toThrow()
	await seal()
	root.token = await world.logIn(root)
	expect(await verify()).toMatchObject({ rows, problem: null })
	expect((await verify()).erased).toBeGreaterThan(1_000)
	await world.rows('drop trigger die')
	await run()
	expect(await verify()).toMatchObject({ rows, problem: null })
})

test('an account deletion that is interrupted before it erases anything counts from then on', {
	tags: 'd1',
}, async () => {
	const lastErasure = async () => (await world.bindings.VAULT.get('last-erasure.json'))?.json()
	const ada = await world.person()
	await world.request(ada)
	expect(await lastErasure()).toBeUndefined()
	await world.settle()
	world.pass(30 * DAY)
	const [request] = await world.rows<{ id: string }>('select id from account_deletion_requests')
	const id = request?.id ?? ''
	await world.perform((deps) =>
		expect(executeAccountDeletion(withVault(deps, refusing), id)).rejects.toThrow('vault'),
	)
	expect(await world.rows(`select id from users where id = ${ada.userId}`)).toHaveLength(1)
	await world.rows("create trigger die before delete on users begin select raise(abort, 'dead'); end")
	await expect(world.perform((deps) => executeAccountDeletion(deps, id))).rejects.toThrow()
	expect(await lastErasure()).toEqual({ startedAt: world.now })
	await seal()
	await blank('position = 1')
	root.token = await world.logIn(root)
	expect(await verify()).toMatchObject({ erased: 1, problem: null })
	await world.rows('drop trigger die')
	world.pass(MINUTE)
	await world.perform((deps) => executeAccountDeletion(deps, id))
	expect(await lastErasure()).toEqual({ startedAt: world.now })
})

test('the verification rejects a row whose actor was removed by hand, even around an account deletion', async () => {
	const ada = await world.person()
	await change()
	await seal()
	await blank('position = 1')
	expect((await verify()).problem).toMatchObject({
		position: 1,
		what: 'its actor or IP address was removed by hand: the vault knows of no account deletion',
	})
	await world.request(ada)
	await world.execute()
	root.token = await world.logIn(root)
	// From now on, row 1 could be the deleted person's.
	expect(await verify(2)).toMatchObject({ problem: null, hasComparedErasures: true })
	const { ok } = await world.ask(
		createApiKey,
		{ params: { orgId: root.orgId }, body: { name: 'k', scopes: ['admin'] } },
		root,
	)
	await world.ask(updateSettings, { body: { theme: 'light' } }, { ...root, token: ok.data.key })
	await seal()
	expect(await verify()).toMatchObject({ problem: null })
	await blank("actor_kind = 'api_key'")
	expect((await verify()).problem?.what).toMatch(/the person who made its API key still has an account$/)
	await world.rows('delete from api_keys returning 1')
	expect(await verify()).toMatchObject({ problem: null })
	world.pass(31 * MINUTE)
	await change()
	await seal()
	const rows = (await verify()).rows
	await blank(`position = ${rows}`)
	expect((await verify()).problem).toMatchObject({ position: rows })
})

test('erasing a person erases invitations to former addresses, unless they belong to others now', {
	tags: 'd1',
}, async () => {
	const ada = await world.person({ email: 'former@example.org' })
	const createKey = () => world.ask(createApiKey, { params: { orgId: ada.orgId }, body: { name: 'k' } }, ada)
	const move = (email: string) =>
		world.rows(`update users set email = '${email}' where id = ${ada.userId} returning 1`)
	await createKey()
	await move('passed-on@example.org')
	await createKey()
	await move('ada@example.org')
	for (const email of ['former@example.org', 'passed-on@example.org'])
		await world.ask(inviteMember, { params: { orgId: root.orgId }, body: { email } }, root)
	await world.person({ email: 'passed-on@example.org' })
	await world.request({ ...ada, email: 'ada@example.org' })
	await world.execute()
	expect(
		await world.rows("select target_email from audit_log where action = 'member.invited' order by position"),
	).toEqual([{ target_email: null }, { target_email: 'passed-on@example.org' }])
})

test('an endpoint with the event type audit.recorded gets each entry of its organization, once', {
	tags: 'd1',
}, async () => {
	const fixture = await openReceiverWorld(features)
	await fixture.createEndpoint({ types: ['audit.recorded'] })
	await fixture.sweep()
	await fixture.sweep()
	const actions = fixture.received.map(({ event }) => [event.type, event.data.action])
	expect(actions).toEqual([
		['audit.recorded', 'org.created'],
		['audit.recorded', 'api_key.created'],
		['audit.recorded', 'webhook.created'],
	])
	expect(fixture.received[2]?.event.data).toEqual({
		auditEntryId: expect.stringMatching(/^aud_/),
		action: 'webhook.created',
		targetKind: 'webhook',
		targetId: expect.stringMatching(/^whe_/),
	})
})

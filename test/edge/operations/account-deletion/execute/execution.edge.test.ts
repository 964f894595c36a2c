import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { login, signup } from '#schema/contract/accounts/identity.ts'
import { listSessions } from '#schema/contract/accounts/sessions.ts'
import { executeAccountDeletion } from '../../../../../edge/operations/account-deletion/execute/execution.ts'
import { DAY, HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
import type { Person } from '../../../../support/edge/world.ts'
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

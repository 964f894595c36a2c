/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { Person as Caller } from '../../../../../edge/http/caller.ts'
import {
	cancelDeletion,
	requestDeletion,
} from '../../../../../edge/operations/account-deletion/request/deletion.ts'
import { GRACE_MS } from '../../../../../edge/operations/account-deletion/request/schedule.ts'
import { deriveCancellationToken } from '../../../../../edge/operations/account-deletion/request/token.ts'
import { deletionStore } from '../../../../../edge/operations/account-deletion/store.ts'
import { DAY, HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { randomFrom } from '../../../../support/shared/random.ts'
import { openDeletionWorld } from '../deletion-world.ts'

const isLong = env.SIMULATED_REQUESTS !== ''
const PEOPLE = Number(env.SIMULATED_REQUESTS || 40)
/** The long form runs the sweep as often as an installation does. */
const SWEEP_MS = isLong ? 10 * MINUTE : 6 * HOUR
const DAYS = 40

type SimulatedUser = {
	id: number
	email: string
	requestsAt: number
	cancelsAt: number | null
	requestId?: string
}
type Action = { at: number; act: () => Promise<unknown> }

test.each(Array.from({ length: isLong ? 1 : propertyRuns(1) }, (_, at) => at + 1))(
	`reminders and deletions of ${PEOPLE} users over ${DAYS} days happen once each (seed %i)`,
	async (seed) => {
		const random = randomFrom(seed)
		const world = await openDeletionWorld()
		const start = world.now
		await world.person()
		world.failMails(() => random() < 0.3)
		await world.settle()
		await world.rows(
			`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PEOPLE}) insert into users (id, email, name, token_version, is_superadmin, created_at, updated_at) select 1000 + i, 'p' || i || '@many.test', 'P', 1, 0, 1, 1 from n returning 1`,
		)
		const people: SimulatedUser[] = Array.from({ length: PEOPLE }, (_, i) => {
			const requestsAt = start + Math.floor(random() * (DAYS - 31) * DAY)
			const cancelsAt = random() < 0.25 ? requestsAt + 1 + Math.floor(random() * (GRACE_MS - 1)) : null
			return { id: 1_001 + i, email: `p${i + 1}@many.test`, requestsAt, cancelsAt }
		})
		const callerOf = ({ id, email }: SimulatedUser) => ({ kind: 'person', userId: id, email }) as Caller

		const actions: Action[] = []
		for (const who of people) {
			actions.push({
				at: who.requestsAt,
				act: () =>
					world.perform(async (d) => {
						const input = { confirm_email: who.email, delete_content: false }
						who.requestId = (await requestDeletion(d, callerOf(who), input, '203.0.113.9')).id
					}),
			})
			if (who.cancelsAt !== null)
				actions.push({
					at: who.cancelsAt,
					act: () =>
						world.perform(async (d) => {
							const row = await deletionStore(d.db).find(who.requestId ?? '')
							if (!row) throw new Error('the request is missing')
							const token = await deriveCancellationToken(d, row)
							await cancelDeletion(d, callerOf(who), token, '203.0.113.9')
						}),
				})
		}
		const runs: number[] = []
		const firstEight = start - (start % DAY) + 8 * HOUR
		for (let eight = firstEight; eight <= start + DAYS * DAY; eight += DAY) {
			if (eight < start) continue
			const times = [0, 1, 3][Math.floor(random() * 3)] ?? 0
			for (let i = 0; i < times; i++) actions.push({ at: eight, act: () => world.cron('0 8 * * *') })
			if (times > 0) runs.push(eight)
		}
		for (let at = start; at <= start + DAYS * DAY; at += SWEEP_MS)
			// Some sweeps are skipped.
			if (random() < 0.9) actions.push({ at, act: () => world.cron('*/10 * * * *') })
		actions.sort((a, b) => a.at - b.at)

		for (const { at, act } of actions) {
			world.pass(at - world.now)
			await act()
			await world.settle()
		}
		// Completes what the last sweeps left open.
		world.pass(HOUR)
		await world.cron('*/10 * * * *')
		await world.settle()

		const requests = await world.rows<{ id: string; status: string; completedAt: number | null }>(
			'select id, status, completed_at as "completedAt" from account_deletion_requests',
		)
		const logs = await world.rows<{ id: string; action: string; details: string; at: number }>(
			'select deletion_request_id as id, action, details, created_at as at from account_deletion_logs order by id',
		)
		const left = new Set((await world.rows<{ id: number }>('select id from users')).map(({ id }) => id))
		const stateOf = new Map(requests.map((request) => [request.id, request]))
		const logsOf = Map.groupBy(logs, ({ id }) => id)
		const mailsTo = Map.groupBy(world.sent, ({ to }) => to)
		let reminded = 0
		for (const who of people) {
			const due = who.requestsAt + GRACE_MS
			const request = stateOf.get(who.requestId ?? '')
			const mine = logsOf.get(who.requestId ?? '') ?? []
			const mails = (mailsTo.get(who.email) ?? []).map(({ subject }) => subject)
			// At the same instant, users act first, then the daily run, then the sweep.
			const until = who.cancelsAt ?? (request?.completedAt ?? Number.POSITIVE_INFINITY) + 1
			const ranIn = (from: number, to: number) =>
				runs.some((at) => at >= from && at < Math.min(to, until) && at >= who.requestsAt)
			const expected = {
				'7_day': ranIn(due - 8 * DAY + 1, due - 2 * DAY + 1) ? 1 : 0,
				final: ranIn(due - 2 * DAY + 1, Number.POSITIVE_INFINITY) ? 1 : 0,
			}
			const sentOf = (kind: string) =>
				mine.filter(({ action, details }) => action === 'reminder_sent' && JSON.parse(details).kind === kind)
			for (const kind of ['7_day', 'final'] as const) {
				expect([who, kind, sentOf(kind).length]).toEqual([who, kind, expected[kind]])
				for (const { at } of sentOf(kind)) expect(at).toBeLessThan(until)
			}
			expect(mails.filter((subject) => subject.startsWith('Final reminder'))).toHaveLength(expected.final)
			expect(mails.filter((subject) => /deleted in [2-7] days/.test(subject))).toHaveLength(expected['7_day'])
			expect(mails.filter((subject) => /deleted in 30 days/.test(subject))).toHaveLength(1)
			const executed = mine.filter(({ action }) => action === 'executed')
			const isCancelled = who.cancelsAt !== null
			expect([who, request?.status]).toEqual([who, isCancelled ? 'cancelled' : 'completed'])
			expect(executed).toHaveLength(isCancelled ? 0 : 1)
			expect(left.has(who.id)).toBe(isCancelled)
			if (!isCancelled) expect(request?.completedAt).toBeGreaterThanOrEqual(due)
			expect(mails.at(-1)).toBe(
				isCancelled ? 'Your Playhouse account stays' : 'Your Playhouse account was deleted',
			)
			reminded += expected['7_day'] + expected.final
		}
		expect(reminded).toBeGreaterThan(PEOPLE)
	},
)

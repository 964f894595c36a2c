/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { OpenSession } from '../../../../../edge/watch/analytics/sessions/open-session.ts'
import { ClosedTimelines } from '../../../../../edge/watch/analytics/timelines/closed-timelines.ts'
import { emptyTimeline } from '../../../../../edge/watch/analytics/timelines/timeline.ts'
import { stateAt } from '../states.ts'

const HOUR = 3_600_000

/** A session of about 20 kB. */
const session = (id: string, startedAt = 0): OpenSession => ({
	id,
	startedAt,
	reportedAt: startedAt,
	audience: 'viewer',
	visitor: '0123456789abcdef',
	place: { device: 'desktop', browser: 'x'.repeat(20_000), country: null, referrer: null, player: 'watch' },
	state: stateAt(0),
	intervalMs: 10_000,
	pausedSince: null,
	isEnded: true,
	events: null,
	reportId: 'report-of-all',
	timeline: emptyTimeline,
})
const sessions = (count: number) => Array.from({ length: count }, (_, k) => session(`session-${k}`, k))

/** Runs with the database of an object of its own. */
const withSql = <T>(run: (sql: SqlStorage) => T): Promise<T> =>
	runInDurableObject(env.PLAYBACK_SESSIONS.getByName(crypto.randomUUID()), (_, { storage }) =>
		run(storage.sql),
	)

test('sessions that are closed together are split over rows of bounded length', async () => {
	await withSql((sql) => {
		const closed = new ClosedTimelines(sql)
		closed.close(sessions(60), 10_000, 0)
		const rows = sql.exec<{ sessions: string }>('select sessions from timelines').toArray()
		expect(rows).toHaveLength(3)
		for (const row of rows) expect(row.sessions.length).toBeLessThan(520_000)
		for (const k of [0, 30, 59])
			expect(new ClosedTimelines(sql).find(`session-${k}`, 1)).toMatchObject([{ id: `session-${k}` }])
		expect(JSON.stringify(rows)).not.toContain('0123456789abcdef')
	})
})

test('a report id finds at most 20 sessions, the newest first', async () => {
	await withSql((sql) => {
		const closed = new ClosedTimelines(sql)
		closed.close(sessions(60), 10_000, 0)
		const found = closed.find('report-of-all', 1).map(({ id }) => id)
		expect(found).toEqual(Array.from({ length: 20 }, (_, k) => `session-${59 - k}`))
	})
})

test('the oldest time lines are deleted if there are too many, even after a restart of the object', async () => {
	await withSql((sql) => {
		const MAX = 200_000
		new ClosedTimelines(sql, MAX).close([session('session-a')], 10_000, 0)
		for (let k = 1; k <= 12; k++) new ClosedTimelines(sql, MAX).close([session(`session-${k}`)], 10_000, k)
		const kept = new ClosedTimelines(sql, MAX)
		expect(sql.exec('select id from timelines').toArray()).toHaveLength(9)
		expect([kept.find('session-a', 13), kept.find('session-3', 13)]).toEqual([[], []])
		expect(kept.find('session-4', 13)).toHaveLength(1)
	})
})

test('no time line is stored before its session is closed, and deletions are due at whole hours', async () => {
	await withSql((sql) => {
		const closed = new ClosedTimelines(sql)
		closed.close([], 10_000, 5)
		expect([closed.nextPruneAt(), closed.find('session-a', 5)]).toEqual([null, []])
		expect(sql.exec("select name from sqlite_master where name = 'timelines'").toArray()).toEqual([])
		closed.close([session('session-a')], 10_000, 5)
		expect(closed.nextPruneAt()).toBe(49 * HOUR)
		closed.close([], 10_000, 49 * HOUR)
		expect([closed.nextPruneAt(), sql.exec('select id from timelines').toArray()]).toEqual([null, []])
	})
})

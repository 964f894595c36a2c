/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { OpenSession } from '../../../../../edge/watch/analytics/sessions/open-session.ts'
import { SessionPages } from '../../../../../edge/watch/analytics/sessions/session-pages.ts'
import {
	addToTimeline,
	emptyTimeline,
	type Timeline,
} from '../../../../../edge/watch/analytics/timelines/timeline.ts'
import { stateAt } from '../states.ts'

const session = (id: string, spans: number): OpenSession => ({
	id,
	startedAt: 0,
	reportedAt: 0,
	audience: 'viewer',
	visitor: null,
	place: { device: 'desktop', browser: 'Chrome', country: null, referrer: null, player: 'watch' },
	state: stateAt(0, { played: Array.from({ length: 2 * spans }, (_, k) => k) }),
	intervalMs: 10_000,
	pausedSince: null,
	isEnded: false,
	events: null,
	reportId: null,
	timeline: emptyTimeline,
})

/** Runs with the database of an object of its own. */
const withSql = <T>(run: (sql: SqlStorage) => T): Promise<T> =>
	runInDurableObject(env.PLAYBACK_SESSIONS.getByName(crypto.randomUUID()), (_, { storage }) =>
		run(storage.sql),
	)

test('sessions beyond the memory of an object are dropped, and known ones do not grow', async () => {
	await withSql((sql) => {
		const pages = new SessionPages(sql, 1_000)
		expect(pages.set(session('a', 200))).toBe(true)
		expect(pages.set(session('b', 100))).toBe(true)
		expect(pages.set(session('c', 100))).toBe(false)
		expect(pages.set(session('b', 200))).toBe(false)
		expect(pages.get('b')?.state.played).toHaveLength(200)
		// A session that became shorter, or ended, makes room again.
		expect(pages.set(session('a', 10))).toBe(true)
		pages.delete('b')
		expect(pages.set(session('c', 200))).toBe(true)
		expect([...pages.all()].map(({ id }) => id)).toEqual(['a', 'c'])
	})
})

test('sessions equal those written after they were read from the database, even if they have grown', async () => {
	await withSql((sql) => {
		const pages = new SessionPages(sql)
		const spansOf = (k: number) => (k * 37) % 1_000
		for (let k = 0; k < 300; k++) pages.set(session(`session-${k}`, 0))
		pages.flush()
		for (let k = 0; k < 300; k++) pages.set(session(`session-${k}`, spansOf(k)))
		for (let k = 0; k < 300; k += 3) pages.delete(`session-${k}`)
		pages.flush()
		const read = new SessionPages(sql)
		for (let k = 0; k < 300; k++)
			expect(read.get(`session-${k}`)).toEqual(k % 3 === 0 ? undefined : session(`session-${k}`, spansOf(k)))
		for (const id of [...read.all()].map((each) => each.id)) read.delete(id)
		read.flush()
		expect(sql.exec('select id from pages').toArray()).toEqual([])
	})
})

test('a session without room loses entries of its time line before totals, and is kept', async () => {
	await withSql((sql) => {
		const pages = new SessionPages(sql, 400)
		const at = (sec: number, entries: number, spans = 1): OpenSession => ({
			...session('a', spans),
			state: stateAt(sec, { played: Array.from({ length: 2 * spans }, (_, k) => k) }),
			reportedAt: sec,
			timeline: Array.from({ length: entries }).reduce<Timeline>(
				(timeline, _, k) => addToTimeline(timeline, k, stateAt(k, { stalls: k })),
				emptyTimeline,
			),
		})
		expect(pages.setAsPossible(at(1, 5))).toBe(true)
		expect(pages.setAsPossible(at(2, 50))).toBe(true)
		expect(pages.get('a')).toMatchObject({ reportedAt: 2, state: { watchedMs: 2_000 } })
		expect(pages.get('a')?.timeline.snapshots).toHaveLength(5)
		expect(pages.setAsPossible(at(3, 50, 300))).toBe(false)
		expect(pages.get('a')).toMatchObject({ reportedAt: 3, state: { watchedMs: 2_000 } })
		expect(pages.setAsPossible(session('b', 300))).toBe(false)
		expect(pages.get('b')).toBeUndefined()
	})
})

test('sessions are kept as compact copies, since data of a request takes several times the memory', async () => {
	await withSql((sql) => {
		const pages = new SessionPages(sql)
		const received = session('a', 3)
		pages.set(received)
		expect(pages.get('a')).toEqual(received)
		expect(pages.get('a')?.state).not.toBe(received.state)
	})
})

/** @module-tag d1 */
import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { OrgAnalytics } from '../../../../../edge/watch/analytics/org/org-object.ts'
import type { SessionReport } from '../../../../../edge/watch/analytics/sessions/open-session.ts'
import type { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import {
	findShardAtLevel,
	formatObjectName,
	ROOT,
	type Shard,
} from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { emptySums } from '../../../../../edge/watch/analytics/sums/sums.ts'
import { emptyRuntime } from '../../../../support/edge/empty-runtime.ts'
import { stateAt } from '../states.ts'

const NOW = Date.UTC(2037, 10, 21, 12)
const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const namespace = env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>
const orgs = env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>

/** Objects keep their memory while tests run, so each test has a video of its own. */
let playbackId = ''
let orgId = ''

const objectOf = (shard: Shard = ROOT) => namespace.getByName(formatObjectName(playbackId, shard))
const of = (shard: Shard = ROOT) => ({
	playbackId,
	assetId: 'ast_film',
	orgId,
	durationMs: 600_000,
	isSigned: false,
	shard,
})
const report = (sessionId: string, sec: number, more: Partial<SessionReport> = {}): SessionReport => ({
	sessionId,
	reportId: null,
	startedAt: null,
	mayBeElsewhere: false,
	audience: 'viewer',
	visitor: null,
	place: { device: 'desktop', browser: 'Chrome', country: null, referrer: null, player: 'watch' },
	state: stateAt(sec),
	events: [],
	isEnd: false,
	...more,
})
const send = (reports: SessionReport[], now = NOW, shard: Shard = ROOT) =>
	objectOf(shard).report(of(shard), reports, now)
const rowsOf = (table: string, shard?: Shard) =>
	runInDurableObject(objectOf(shard), (_, { storage }) =>
		storage.sql.exec(`select * from ${table}`).toArray(),
	)
/** Ends the object without warning, as a crash or a deployment does. */
const crash = (shard?: Shard) =>
	runInDurableObject(objectOf(shard), (_, state) => state.abort('crash')).catch(() => undefined)
/** Checks inside the object, since the runtime also reports an error that leaves it as unhandled. */
const fails = (call: (object: PlaybackSessions) => Promise<unknown>) =>
	runInDurableObject(objectOf(), async (object) => {
		await expect(call(object)).rejects.toThrow()
	})
/** Makes adding to the hour of NOW fail. */
const damageHour = (object: DurableObjectStub<PlaybackSessions> | DurableObjectStub<OrgAnalytics>) =>
	runInDurableObject(object, (_, { storage }) => {
		storage.sql.exec('create table hours (hour, shard, version, sums)')
		storage.sql.exec('create table days (day, sums)')
		storage.sql.exec('insert into hours values (?, ?, 0, ?)', NOW, '', 'no JSON')
	})
/** Returns the tables, values and alarm of an object. */
const stored = (object: DurableObjectStub<PlaybackSessions>) =>
	runInDurableObject(object, async (_, { storage }) => [
		storage.sql.exec("select name from sqlite_master where name not glob '_cf_*'").toArray(),
		[...storage.kv.list()],
		await storage.getAlarm(),
	])
const tick = (now: number, shard?: Shard) => runInDurableObject(objectOf(shard), (object) => object.tick(now))

beforeEach(async () => {
	await emptyRuntime()
	playbackId = crypto.randomUUID()
	orgId = `org_${playbackId}`
})

describe('the playback sessions of a video', () => {
	test('playback sessions count once each, whatever is lost, late or repeated', async () => {
		await send([report('a', 0), report('b', 0), report('a', 10), report('a', 0)])
		await send([report('a', 10)], NOW + 10_000)
		expect(await objectOf().viewers(NOW + 10_000)).toBe(2)
	})

	test('playback sessions survive a crash: few are written with each report, many by the alarm', async () => {
		await send([report('a', 0), report('b', 0)])
		await crash()
		expect(await objectOf().viewers(NOW + 3_000)).toBe(2)
		const many = Array.from({ length: 30 }, (_, k) => report(`session-${k}`, 0))
		await send(many, NOW + 3_000)
		await tick(NOW + 11_000)
		await send([report('c', 0)], NOW + 12_000)
		await crash()
		expect(await objectOf().viewers(NOW + 13_000)).toBe(32)
		// The next report says everything again.
		const { sessions } = await send([report('c', 10, { startedAt: NOW + 12_000 })], NOW + 22_000)
		expect([sessions[0]?.startedAt, await objectOf().viewers(NOW + 22_000)]).toEqual([NOW + 12_000, 33])
	})

	test('one viewer costs one alarm while watching, and another after the session', async () => {
		// Alarms use the clock of the machine.
		const startedAt = Date.now()
		const alarms = await runInDurableObject(objectOf(), async (object, { storage }) => {
			const setAlarm = vi.spyOn(storage, 'setAlarm')
			for (let sec = 0; sec < 600; sec += 30)
				await object.report(of(), [report('a', sec)], startedAt + sec * 1_000)
			const whileWatching = setAlarm.mock.calls.length
			await object.report(of(), [report('a', 600, { isEnd: true })], startedAt + 600_000)
			return [whileWatching, setAlarm.mock.calls.length]
		})
		expect(alarms).toEqual([1, 2])
	})

	test('many playback sessions are written before the platform evicts an idle object', async () => {
		const startedAt = Date.now()
		await send(
			Array.from({ length: 30 }, (_, k) => report(`session-${k}`, 0)),
			startedAt,
		)
		const alarmAt = await runInDurableObject(objectOf(), (_, { storage }) => storage.getAlarm())
		expect((alarmAt ?? Infinity) - startedAt).toBeLessThan(10_000)
	})

	test('sessions of players without states are written at once, as their events are not repeated', async () => {
		const started = { kind: 'play' as const, at: NOW, positionMs: 0 }
		await send([report('a', 0, { state: null, events: [started] })])
		await crash()
		const heartbeat = { kind: 'heartbeat' as const, at: NOW + 10_000, positionMs: 10_000 }
		await send([report('a', 0, { state: null, events: [heartbeat] })], NOW + 10_000)
		const [hour] = await objectOf().sums(0, NOW + MINUTE, NOW + 10_000)
		expect(hour?.sums).toMatchObject({ views: 1, playedMs: 10_000 })
	})

	test('playback sessions share a row of the database', async () => {
		await send(Array.from({ length: 100 }, (_, k) => report(`session-${k}`, 0)))
		await tick(NOW + 1_000)
		expect(await rowsOf('pages')).toHaveLength(2)
	})

	test('long playback sessions share fewer rows, so that no row becomes too long', async () => {
		const played = Array.from({ length: 2_000 }, (_, k) => 10_000 + k)
		const long = (sec: number) =>
			Array.from({ length: 130 }, (_, k) => report(`session-${k}`, 0, { state: stateAt(sec, { played }) }))
		await send(Array.from({ length: 130 }, (_, k) => report(`session-${k}`, 0)))
		await tick(NOW + 1_000)
		await send(long(3_600), NOW + 60 * MINUTE)
		await tick(NOW + 60 * MINUTE)
		const pages = await rowsOf('pages')
		expect(pages.length).toBeGreaterThan(3)
		for (const { sessions } of pages) expect(String(sessions).length).toBeLessThan(600_000)
		await crash()
		await runInDurableObject(objectOf(), (object) => object.tick(NOW + 60 * MINUTE))
		const [hour] = await objectOf().sums(0, NOW + 60 * MINUTE, NOW + 60 * MINUTE)
		expect(hour?.sums.attempts).toBe(130)
	})

	test('playback sessions are written at once when they end, as no report follows', async () => {
		await send([report('a', 0)])
		await send([report('a', 10, { isEnd: true })], NOW + 10_000)
		await crash()
		const [page] = await rowsOf('pages')
		expect(JSON.parse(String(page?.sessions))).toMatchObject([{ id: 'a', isEnded: true, state: { seq: 11 } }])
	})

	test('playback sessions stay open for a moment after their end, as a page may be shown again', async () => {
		await send([report('a', 10, { isEnd: true })])
		expect(await objectOf().viewers(NOW + 1_000)).toBe(0)
		await send([report('a', 11)], NOW + MINUTE)
		expect(await objectOf().viewers(NOW + MINUTE)).toBe(1)
	})

	test('a late report does not reopen a closed session, even after a crash', async () => {
		await send([report('a', 10, { isEnd: true }), report('b', 10)])
		await tick(NOW + 2 * MINUTE + 1)
		await crash()
		expect((await send([report('a', 11), report('b', 11)], NOW + 3 * MINUTE)).sessions).toMatchObject([
			null,
			{ startedAt: NOW },
		])
		await tick(NOW + 39 * MINUTE)
		expect(await rowsOf('pages')).toEqual([])
		expect((await send([report('b', 12)], NOW + 40 * MINUTE)).sessions).toEqual([null])
		await tick(NOW + 80 * MINUTE)
		expect(await rowsOf('closed_session_ids')).toEqual([])
	})

	test('a full object closes the largest sessions, then those without viewers, and each counts once', async () => {
		const began = { startedAt: NOW - 60 * MINUTE }
		const ofNumbers = (count: number, sec = 3_600) => ({
			...began,
			state: stateAt(sec, { played: Array.from({ length: count }, (_, k) => 10_000 + k) }),
		})
		let filled = 0
		/** Opens sessions of 1,040 numbers each. */
		const fill = async (until: number, now: number) => {
			for (; filled < until; filled += Math.min(200, until - filled)) {
				const ids = Array.from({ length: Math.min(200, until - filled) }, (_, k) => `filling-${filled + k}`)
				await send(
					ids.map((id) => report(id, 0, ofNumbers(900))),
					now,
				)
			}
		}
		const closedIds = async () =>
			(await rowsOf('closed_session_ids')).flatMap(({ ids }) => JSON.parse(String(ids)) as string[])
		const member = { audience: 'member' as const }
		await send([report('growing', 0, { ...ofNumbers(1_000), ...member })])
		await fill(5_768, NOW)
		await expect(rowsOf('closed_session_ids')).rejects.toThrow('no such table')

		// The largest session is the one that grows. It is counted and closed, and not opened again.
		const grown = report('growing', 0, { ...ofNumbers(2_000, 3_601), ...member })
		for (const laterMs of [1_000, 2_000])
			expect((await send([grown], NOW + laterMs)).sessions).toEqual([null])
		const closed = await closedIds()
		expect(closed).toContain('growing')
		expect(closed.length).toBeGreaterThan(500)
		expect(closed.length).toBeLessThan(700)

		await fill(filled + closed.length, NOW + 3_000)
		const later = NOW + 10 * MINUTE
		const { sessions } = await send([report('viewer', 0, ofNumbers(2_000))], later)
		expect(sessions).toMatchObject([{ startedAt: began.startedAt, nextBeatMs: 60_000 }])
		expect(await closedIds()).toHaveLength(filled + 1)
		expect(await objectOf().viewers(later)).toBe(1)
		const [hour, ...others] = await objectOf().sums(0, NOW + DAY, later)
		const attempts = [hour, ...others].reduce((sum, each) => sum + (each?.sums.attempts ?? 0), 0)
		const members = [hour, ...others].reduce((sum, each) => sum + (each?.sums.excluded.member ?? 0), 0)
		expect([attempts, members]).toEqual([filled + 1, 1])
	})

	test('a live count of an unwatched video creates no row', async () => {
		expect(await objectOf().viewers(NOW)).toBe(0)
		const tables = await runInDurableObject(objectOf(), (_, { storage }) =>
			storage.sql.exec("select name from sqlite_master where name not glob '_cf_*'").toArray(),
		)
		expect(tables).toEqual([])
	})
})

describe('a video with many viewers', () => {
	const left: Shard = { level: 1, index: 0 }
	const right: Shard = { level: 1, index: 1 }
	const idIn = (shard: Shard) => {
		for (let k = 0; ; k++)
			if (findShardAtLevel(`session-${k}`, 1).index === shard.index) return `session-${k}`
	}

	test('a video with many viewers is split when its objects are overloaded, and stays so for an hour', async () => {
		expect((await send([report('a', 0)])).level).toBe(0)
		await objectOf().noteLoad(left, { viewers: 20_000, startsPerSecond: 0 }, NOW)
		const { level, viewers } = await send([report('b', 0)], NOW + 6_000)
		expect([level, viewers]).toEqual([3, 20_002])
		await crash()
		expect((await send([report('b', 11)], NOW + 30 * MINUTE)).level).toBe(3)
		expect((await send([report('c', 0)], NOW + 95 * MINUTE)).level).toBe(0)
	})

	test('a video stays split while many objects are needed, and not for their load without viewers', async () => {
		const note = (viewers: number, now: number) =>
			objectOf().noteLoad(left, { viewers, startsPerSecond: 0 }, now)
		expect((await note(35_000, NOW)).level).toBe(3)
		for (let minutes = 20; minutes <= 120; minutes += 20) await note(12_000, NOW + minutes * MINUTE)
		expect((await note(12_000, NOW + 121 * MINUTE)).level).toBe(3)
		for (let minutes = 140; minutes <= 170; minutes += 10) await note(9_000, NOW + minutes * MINUTE)
		expect((await note(0, NOW + 171 * MINUTE)).level).toBe(3)
		expect((await note(9_000, NOW + 182 * MINUTE)).level).toBe(1)
		for (let minutes = 190; minutes <= 240; minutes += 10) await note(0, NOW + minutes * MINUTE)
		expect((await note(0, NOW + 250 * MINUTE)).level).toBe(0)
	})

	test('a session of a split video is found in the objects of a former level', async () => {
		await objectOf().noteLoad(left, { viewers: 20_000, startsPerSecond: 0 }, NOW)
		const second = findShardAtLevel('session-x', 2)
		const later = NOW + 70 * MINUTE
		await send([report('session-x', 0)], later, second)
		const { sessions, level } = await send([report('session-x', 10, { mayBeElsewhere: true })], later)
		expect([sessions, level]).toMatchObject([[{ shard: second }], 0])
	})

	test('the end of a session is written even if another session cannot be looked up', async () => {
		await objectOf().noteLoad(left, { viewers: 9_000, startsPerSecond: 0 }, NOW)
		await runInDurableObject(objectOf(findShardAtLevel('session-x', 1)), (object) =>
			vi.spyOn(object, 'reportIfKnown').mockRejectedValue(new Error('overloaded')),
		)
		await send([report('a', 0)])
		const failing = [report('a', 10, { isEnd: true }), report('session-x', 10, { mayBeElsewhere: true })]
		await fails((object) => object.report(of(), failing, NOW + 10_000))
		await crash()
		const [page] = await rowsOf('pages')
		expect(JSON.parse(String(page?.sessions))).toMatchObject([{ id: 'a', isEnded: true }])
	})

	test('the root of a split video gets the departure of viewers within five seconds', async () => {
		const startedAt = Date.now()
		const id = idIn(left)
		await send([report(id, 0)], startedAt, left)
		await send([report(id, 1, { isEnd: true })], startedAt + 1_000, left)
		const alarmAt = await runInDurableObject(objectOf(left), (_, { storage }) => storage.getAlarm())
		expect((alarmAt ?? Infinity) - Date.now()).toBeLessThanOrEqual(5_000)
		await tick(startedAt + 6_000, left)
		expect(await objectOf().viewers(startedAt + 6_000)).toBe(0)
	})

	test('the root of a split video has one sum for each hour, however many objects there are', async () => {
		const copiesOf = (attempts: number) =>
			Array.from({ length: 3 }, (_, hour) => ({
				hour: NOW + hour * 60 * MINUTE,
				sums: { ...emptySums(600_000), attempts },
			}))
		for (let index = 0; index < 128; index++)
			await objectOf().noteSums({ level: 7, index }, 1, copiesOf(index), NOW)
		const read = async () =>
			(await objectOf().sums(NOW, NOW + DAY, NOW)).map(({ from, sums }) => [from, sums.attempts])
		const total = (127 * 128) / 2
		expect(await read()).toEqual([0, 1, 2].map((hour) => [NOW + hour * 60 * MINUTE, total]))
		// Curves must fit the video as it is now, also if it was replaced and back again.
		for (const [durationMs, hasCurve] of [
			[600_000, true],
			[2_000_000, false],
			[600_000, true],
		] as const) {
			const [hour] = await objectOf().sums(NOW, NOW + DAY, NOW, durationMs)
			expect(hour?.sums.curve !== null).toBe(hasCurve)
		}
		// A newer copy of one object replaces its older one.
		await objectOf().noteSums({ level: 7, index: 5 }, 2, copiesOf(100).slice(0, 1), NOW)
		expect((await read())[0]).toEqual([NOW, total + 95])
	})

	test('the root of a split video counts the viewers of all objects', async () => {
		await send([report('a', 0)])
		await send([report(idIn(left), 0)], NOW, left)
		const { viewers } = await send([report(idIn(right), 0)], NOW, right)
		expect([viewers, await objectOf().viewers(NOW)]).toEqual([3, 3])
		// An object that says nothing more has crashed or has no more sessions.
		expect(await objectOf().viewers(NOW + 6 * MINUTE)).toBe(0)
	})

	test('a session stays in its first object when a video is split, even if its first response was lost', async () => {
		await objectOf().noteLoad(left, { viewers: 20_000, startsPerSecond: 0 }, NOW)
		const third = findShardAtLevel('session-x', 3)
		await send([report('session-x', 0)], NOW, third)
		// Without a token, a later report comes to the root.
		const lost = await send([report('session-x', 10, { mayBeElsewhere: true })], NOW + 10_000)
		expect(lost.sessions).toMatchObject([{ startedAt: NOW, shard: third }])
		expect(await objectOf().sums(0, NOW + MINUTE, NOW + 10_000)).toEqual([])
		await send([report('session-x', 11, { isEnd: true })], NOW + 11_000, third)
		await tick(NOW + 3 * MINUTE, third)
		const closed = await send([report('session-x', 12, { mayBeElsewhere: true })], NOW + 3 * MINUTE)
		expect(closed.sessions).toEqual([null])
		const unknown = await send([report('session-y', 10, { mayBeElsewhere: true })], NOW + 3 * MINUTE)
		expect(unknown.sessions).toMatchObject([{ shard: ROOT }])
	})

	test('the root of a split video has the sums of all objects, each once, even merged into days', async () => {
		await send([report('a', 10)])
		for (const shard of [left, right]) await send([report(idIn(shard), 10)], NOW, shard)
		let now = NOW
		for (const laterMs of [MINUTE, MINUTE, 40 * MINUTE, 3 * DAY, MINUTE, 500 * DAY]) {
			now += laterMs
			for (const shard of [left, right, ROOT]) await tick(now, shard)
			const sums = await objectOf().sums(0, now + DAY, now)
			expect(sums.reduce((total, period) => total + period.sums.attempts, 0)).toBe(3)
		}
		expect(await rowsOf('hours')).toEqual([])
		expect(await rowsOf('days')).toMatchObject([{ day: Date.UTC(2037, 10, 1) }])
	})

	test.each([
		['its own sums', () => objectOf()],
		['the sums of its organization', () => orgs.getByName(orgId)],
	])('a video is deleted at the second attempt if its sessions cannot be added to %s', async (_, damaged) => {
		await send([report('a', 10, { isEnd: true })])
		await damageHour(damaged())
		await fails((object) => object.deleteAll(NOW))
		await objectOf().deleteAll(NOW)
		expect(await stored(objectOf())).toEqual([[], [], null])
	})

	test('a split video is deleted with all its objects', async () => {
		await objectOf().noteLoad(left, { viewers: 9_000, startsPerSecond: 0 }, NOW)
		await send([report('a', 10, { isEnd: true })])
		for (const shard of [left, right]) await send([report(idIn(shard), 10, { isEnd: true })], NOW, shard)
		await objectOf().deleteAll(NOW + MINUTE)
		// Another location still has the video in its cache.
		await send([report('late', 10, { isEnd: true })], NOW + MINUTE, left)
		await objectOf().deleteAll(NOW + MINUTE)
		for (const id of await listDurableObjectIds(namespace))
			expect(await stored(namespace.get(id))).toEqual([[], [], null])
		expect(await objectOf().viewers(NOW)).toBe(0)
	})
})

/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { getPlaybackSession } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { type PlayerEvent, sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import type { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import {
	findShardAtLevel,
	formatObjectName,
	ROOT,
	type Shard,
} from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome, stateAt } from '../states.ts'

const NOW = Date.UTC(2037, 10, 21, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const REPORT_ID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const namespace = env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

const send = async (sessionId: string, event: Partial<PlayerEvent>, who: Who = {}) =>
	(
		await world.ask(
			sendPlayerEvents,
			{ body: { events: [{ kind: 'heartbeat', playbackId: film.playbackId, sessionId, ...event }] } },
			{ ...who, headers: { ...chrome, ...who.headers } },
		)
	).ok.data
const find = (sessionId: string, who: Who = ada) =>
	world.ask(getPlaybackSession, { params: { assetId: film.id, sessionId } }, who)
const sessions = async (key: string) => (await find(key)).ok.data.sessions
const objectOf = (shard: Shard = ROOT) => namespace.getByName(formatObjectName(film.playbackId, shard))
const tick = (now: number, shard?: Shard) => runInDurableObject(objectOf(shard), (object) => object.tick(now))
const crash = (shard?: Shard) =>
	runInDurableObject(objectOf(shard), (_, state) => state.abort('crash')).catch(() => undefined)
/** The clock of the world moves a millisecond with each request. */
const inSeconds = <T>(value: T): T =>
	JSON.parse(JSON.stringify(value).replaceAll(/(T\d\d:\d\d:\d\d)\.\d{3}Z/g, '$1Z'))
const rows = () =>
	runInDurableObject(objectOf(), (_, { storage }) => storage.sql.exec('select id from timelines').toArray())

describe('the time line of a playback session', () => {
	test('a time line is found by the report id that the viewer saw, or by the id of the session', async () => {
		const first = {
			reportId: REPORT_ID,
			player: 'embed',
			referrer: 'https://blog.example/post?secret=1',
		} as const
		await send('session-a', { ...first, state: stateAt(0, { activity: 'starting', seq: 1 }) })
		world.pass(10_000)
		await send('session-a', { state: stateAt(10, { renditionMs: { 720: 10_000 } }) })
		world.pass(10_000)
		const failed = { activity: 'failed', error: 'decode', stalls: 1, stalledMs: 2_000 } as const
		await send('session-a', { state: stateAt(15, { ...failed, renditionMs: { 720: 15_000 } }) })
		const [found, ...others] = await sessions(REPORT_ID)
		expect(others).toEqual([])
		expect(inSeconds(found)).toEqual({
			sessionId: 'session-a',
			reportId: REPORT_ID,
			startedAt: '2037-11-21T12:00:00Z',
			reportedAt: '2037-11-21T12:00:20Z',
			isOpen: true,
			audience: 'viewer',
			...{ device: 'desktop', browser: 'Chrome', country: null, referrer: 'blog.example', player: 'embed' },
			totals: {
				...{ activity: 'failed', positionMs: 15_000, watchedMs: 15_000, playedMs: 12_500, startupMs: 300 },
				...{ waitedMs: 300, stalls: 1, stalledMs: 2_000, seeks: 0, seekMs: 0, shownMs: { 720: 15_000 } },
				...{ deliveredMs: {}, renditionsUp: 0, renditionsDown: 0, droppedFrames: 0, error: 'decode' },
			},
			entries: [
				['2037-11-21T12:00:00Z', 'starting', 0, {}, 0, 0, null],
				['2037-11-21T12:00:10Z', 'playing', 10_000, { 720: 10_000 }, 0, 0, null],
				['2037-11-21T12:00:20Z', 'failed', 15_000, { 720: 5_000 }, 1, 2_000, 'decode'],
			].map(([at, activity, positionMs, shownMs, stalls, stalledMs, error]) => ({
				...{ at, activity, positionMs, shownMs, stalls, stalledMs, error },
			})),
			omitted: 0,
		})
		expect(await sessions('session-a')).toEqual([found])
	})

	test('a report that arrives twice or late does not change the time line', async () => {
		await send('session-a', { state: stateAt(0) })
		world.pass(10_000)
		const paused = { state: stateAt(10, { activity: 'paused' }) }
		await send('session-a', paused)
		const [before] = await sessions('session-a')
		world.pass(5_000)
		await send('session-a', paused)
		await send('session-a', { state: stateAt(5) })
		const [after] = await sessions('session-a')
		expect(inSeconds(after)).toEqual({ ...inSeconds(before), reportedAt: '2037-11-21T12:00:15Z' })
	})

	test('a page that played the video again has several time lines, the newest first', async () => {
		for (const id of ['session-a', 'session-b']) {
			await send(id, { reportId: REPORT_ID, state: stateAt(5), kind: 'view_end' })
			world.pass(5 * MINUTE)
			await tick(NOW + (id === 'session-a' ? 5 : 9) * MINUTE)
		}
		await send('session-c', { reportId: REPORT_ID, state: stateAt(1) })
		await send('session-d', { reportId: `${REPORT_ID}0`, state: stateAt(1) })
		const found = await sessions(REPORT_ID)
		expect(found.map(({ sessionId, isOpen }) => [sessionId, isOpen])).toEqual([
			['session-c', true],
			['session-b', false],
			['session-a', false],
		])
	})

	test('a time line can be read for 48 hours after the session is over, and is deleted then', async () => {
		await send('session-a', { reportId: REPORT_ID, state: stateAt(5), kind: 'view_end' })
		// Sessions of people end sooner.
		const reader = { params: { orgId: ada.orgId }, body: { name: 'reader', scopes: ['read' as const] } }
		const { key } = (await world.ask(createApiKey, reader, ada)).ok.data
		const closedAt = NOW + 2 * MINUTE + 1_000
		await tick(closedAt)
		await crash()
		const [found] = await sessions('session-a')
		expect(found).toMatchObject({ isOpen: false, reportId: REPORT_ID, totals: { watchedMs: 5_000 } })
		world.pass(48 * HOUR + MINUTE)
		expect((await find(REPORT_ID, { key })).status).toBe(200)
		world.pass(MINUTE + 1_000)
		expect((await find(REPORT_ID, { key })).status).toBe(404)
		await tick(closedAt + 47 * HOUR)
		expect(await rows()).toHaveLength(1)
		await tick(closedAt + 48 * HOUR)
		expect(await rows()).toEqual([])
	})

	test('time lines of sessions that are closed together share a row', async () => {
		for (let k = 0; k < 30; k++) await send(`session-${k}`, { state: stateAt(5), kind: 'view_end' })
		await tick(NOW + 3 * MINUTE)
		expect(await rows()).toHaveLength(1)
		expect(await sessions('session-17')).toHaveLength(1)
	})

	test('a time line continues after a crash', async () => {
		await send('session-a', { state: stateAt(0) })
		world.pass(10_000)
		await send('session-a', { state: stateAt(10, { activity: 'paused', stalls: 1, stalledMs: 100 }) })
		await crash()
		world.pass(10_000)
		await send('session-a', { state: stateAt(20, { stalls: 1, stalledMs: 100 }) })
		const [found] = await sessions('session-a')
		expect(found).toMatchObject({
			totals: { stalls: 1 },
			entries: [{ activity: 'playing' }, { activity: 'paused', stalls: 1 }, { activity: 'playing' }],
		})
	})

	test('the time line of a player that sends events comes from its events', async () => {
		for (const [k, kind] of (['play', 'pause'] as const).entries())
			await send('session-a', { kind, at: 50_000 + k * 1_000, positionMs: k * 1_000 })
		world.pass(1_000)
		await send('session-a', { kind: 'heartbeat', at: 52_000, positionMs: 1_000 })
		const [found] = await sessions('session-a')
		expect(inSeconds(found)?.entries.map(({ at, activity }) => [at, activity])).toEqual([
			['2037-11-21T12:00:00Z', 'playing'],
			['2037-11-21T12:00:01Z', 'paused'],
			['2037-11-21T12:00:01Z', 'paused'],
		])
	})

	test('time lines mark members and programs, and contain no more about viewers than is collected', async () => {
		await send('session-a', { state: stateAt(5) }, { token: ada.token })
		await send('session-b', { state: stateAt(5) }, { headers: { 'user-agent': 'Googlebot/2.1' } })
		await send(
			'session-c',
			{ state: stateAt(5), referrer: 'https://blog.example' },
			{ headers: { dnt: '1' } },
		)
		const audiences = await Promise.all(['session-a', 'session-b'].map(async (id) => (await sessions(id))[0]))
		expect(audiences.map((session) => session?.audience)).toEqual(['member', 'bot'])
		expect((await sessions('session-c'))[0]).toMatchObject({
			browser: 'unknown',
			country: null,
			referrer: null,
		})
	})

	test('no time line exists if the organization collects nothing', async () => {
		await world.ask(updateSettings, { body: { analytics: { collect: 'nothing' } } }, ada)
		await send('session-d', { state: stateAt(5) })
		expect((await find('session-d')).status).toBe(404)
	})

	test('a time line belongs to the organization of the video, and to this video alone', async () => {
		await send('session-a', { reportId: REPORT_ID, state: stateAt(5) })
		const stranger = await world.person()
		expect((await find('session-a', stranger)).status).toBe(404)
		expect((await find('session-a', {})).status).toBe(401)
		const other = await makeReady(world, ada)
		const asked = { params: { assetId: other.id, sessionId: REPORT_ID } }
		expect((await world.ask(getPlaybackSession, asked, ada)).status).toBe(404)
		for (const key of ['session-x', 'positionMs', '%25%25%25%25%25%25%25%25', `"reportId":"`])
			expect((await find(key)).status, key).toBe(404)
	})

	test('the time lines of a video are deleted with it', async () => {
		await send('session-a', { state: stateAt(5), kind: 'view_end' })
		await tick(NOW + 3 * MINUTE)
		await send('session-b', { state: stateAt(5) })
		await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
		await world.deliver()
		expect((await find('session-a')).status).toBe(404)
		for (const id of ['session-a', 'session-b'])
			expect(await objectOf().timelines(film.playbackId, id, NOW + 3 * MINUTE)).toEqual([])
	})

	test.each(['short', 'a'.repeat(81), '"><script>alert(1)</script>', 'has a space', ''])(
		'the report id %j is rejected',
		async (reportId) => {
			const { rejected, problems } = await send('session-a', { reportId, state: stateAt(5) })
			expect([rejected, problems[0]?.code]).toEqual([1, 'invalid'])
			expect((await find('session-a')).status).toBe(404)
		},
	)

	test('time lines are found in all objects of a split video, even when it is no longer split', async () => {
		await objectOf().noteLoad({ level: 1, index: 0 }, { viewers: 12_000, startsPerSecond: 0 }, NOW)
		const report = (sessionId: string) => ({
			...{
				sessionId,
				reportId: REPORT_ID,
				startedAt: null,
				mayBeElsewhere: false,
				audience: 'viewer' as const,
			},
			...{ visitor: null, state: stateAt(5), events: [], isEnd: true },
			place: {
				device: 'desktop',
				browser: 'Chrome',
				country: null,
				referrer: null,
				player: 'watch',
			} as const,
		})
		const shards = [findShardAtLevel('session-a', 1), findShardAtLevel('session-b', 2), ROOT]
		for (const [k, shard] of shards.entries()) {
			const of = {
				playbackId: film.playbackId,
				assetId: film.id,
				orgId: ada.orgId,
				durationMs: 12_500,
				isSigned: false,
				shard,
			}
			await objectOf(shard).report(of, [report(`session-${'abc'[k]}`)], NOW + k * 1_000)
			await tick(NOW + 3 * MINUTE, shard)
		}
		world.pass(3 * HOUR)
		const found = await sessions(REPORT_ID)
		expect(found.map(({ sessionId }) => sessionId)).toEqual(['session-c', 'session-b', 'session-a'])
		for (const id of ['session-a', 'session-b', 'session-c'])
			expect((await sessions(id)).map(({ sessionId }) => sessionId)).toEqual([id])
	})
})

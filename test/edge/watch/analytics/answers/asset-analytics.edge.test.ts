/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import {
	AnalyticsTable,
	getAssetAnalytics,
	getAssetAnalyticsCsv,
} from '#schema/contract/watch/analytics/asset-analytics.ts'
import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome, stateAt } from '../states.ts'

const IPHONE =
	'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	// It lasts 12.5 s.
	film = await makeReady(world, ada)
})

const send = (sessionId: string, state: PlaybackState, who: Who = {}, more: object = {}) =>
	world.ask(
		sendPlayerEvents,
		{ body: { events: [{ kind: 'heartbeat', playbackId: film.playbackId, sessionId, state, ...more }] } },
		{ ...who, headers: { ...chrome, ...who.headers } },
	)
const read = async (query: object = {}, who: Who = ada) =>
	(await world.ask(getAssetAnalytics, { params: { assetId: film.id }, query }, who)).ok.data

describe('the analytics of an asset', () => {
	test('an asset that nobody has watched has empty analytics', async () => {
		const { totals, series, retention, quality, hoursOfDay } = await read()
		expect([totals.attempts, totals.averageShareWatched, series]).toEqual([0, null, []])
		expect(hoursOfDay).toEqual(Array.from({ length: 24 }, (_, hour) => ({ hour, views: 0, watchedMs: 0 })))
		expect(retention?.shares).toEqual(Array.from({ length: 13 }, () => 0))
		expect([quality.startupMs.p50, quality.stalled, quality.scores.overall]).toEqual([null, null, null])
	})

	test('a preview counts as a session of a member, in no other total and not in the live count', async () => {
		const empty = await read()
		const state = stateAt(12, {
			deliveredMs: { 720: 12_000 },
			stalls: 1,
			activity: 'failed',
			error: 'decode',
		})
		for (const each of [stateAt(5), state]) {
			const [session] = (await send('session-a', each, {}, { preview: true })).ok.data.sessions
			expect(session?.live).toBe(0)
		}
		const { totals, series, ...others } = await read()
		expect(totals).toEqual({ ...empty.totals, members: 1 })
		expect(series).toEqual([
			{ at: '2037-11-21T00:00:00.000Z', starts: 0, views: 0, watchedMs: 0, uniques: 0 },
		])
		expect({ ...others, totals: empty.totals, series: [], at: empty.at }).toEqual(empty)
	})

	test('a later report does not turn a counted session into a preview', async () => {
		const [first] = (await send('session-a', stateAt(5))).ok.data.sessions
		await send('session-a', stateAt(12), {}, { preview: true, token: first?.token })
		expect((await read()).totals).toMatchObject({ views: 1, watchedMs: 12_000, members: 0 })
	})

	test('analytics contain new reports, and count a session in the hour in which it started', async () => {
		await send(
			'session-a',
			stateAt(5),
			{},
			{ player: 'embed', referrer: 'https://blog.example/post?secret=1' },
		)
		await send('session-a', stateAt(10), {}, { player: 'embed' })
		await send('session-b', stateAt(2, { activity: 'failed', error: 'decode' }), {
			ip: '198.51.100.7',
			headers: { 'user-agent': IPHONE },
		})
		await send('session-c', stateAt(0, { waitedMs: 4_000 }), { ip: '198.51.100.8' })
		await send('session-d', stateAt(9), { token: ada.token })
		await send('session-e', stateAt(9), { headers: { 'user-agent': 'Googlebot/2.1' } })
		const { totals, series, devices, browsers, countries, referrers, players, errors, quality, retention } =
			await read()
		expect(totals).toEqual({
			attempts: 3,
			starts: 2,
			views: 1,
			engaged: 1,
			completed: 0,
			members: 1,
			bots: 1,
			crowded: 0,
			watchedMs: 12_000,
			playedMs: 12_000,
			dailyUniques: 2,
			averageShareWatched: expect.closeTo(0.8, 3),
		})
		expect(series).toEqual([
			{ at: '2037-11-21T00:00:00.000Z', starts: 2, views: 1, watchedMs: 12_000, uniques: 2 },
		])
		expect(devices).toEqual([
			{ key: 'desktop', views: 1, watchedMs: 10_000 },
			{ key: 'phone', views: 0, watchedMs: 2_000 },
		])
		expect(browsers.map(({ key }) => key)).toEqual(['Chrome', 'Safari'])
		expect(countries.map(({ key }) => key)).toEqual(['unknown'])
		expect(referrers.map(({ key }) => key)).toEqual(['blog.example', 'direct'])
		expect(players.map(({ key }) => key)).toEqual(['embed', 'other'])
		expect(errors).toEqual([{ key: 'decode', count: 1 }])
		expect(retention?.shares.slice(0, 4)).toEqual([1, 1, 0.5, 0.5])
		expect(quality).toMatchObject({ failures: 1 / 3, exitsBeforeStart: 1 / 3, stalled: 0, scoreModel: 1 })
		expect(quality.startupMs.p50).toBeGreaterThan(290)
		expect(quality.startupMs.p50).toBeLessThan(310)
	})

	test('lost and repeated reports of a session change no total', async () => {
		const states = [stateAt(0), stateAt(3), stateAt(6), stateAt(12, { stalls: 1, stalledMs: 500 })]
		for (const state of states) await send('session-a', state)
		const all = await read()
		film = await makeReady(world, ada)
		for (const k of [3, 0, 3, 1]) await send('session-a', states[k] as PlaybackState)
		expect({ ...(await read()), at: all.at }).toEqual(all)
	})

	test('analytics are returned for a period, by hour or by day', async () => {
		await send('session-a', stateAt(10))
		const from = '2037-11-21T11:30:00Z'
		const to = '2037-11-21T13:00:00+00:00'
		const hours = await read({ from, to })
		expect([hours.from, hours.to, hours.granularity]).toEqual([
			'2037-11-21T11:00:00.000Z',
			'2037-11-21T13:00:00.000Z',
			'hour',
		])
		expect(hours.series).toMatchObject([{ at: '2037-11-21T12:00:00.000Z', views: 1 }])
		expect((await read({ from, to: '2037-11-21T12:00:00Z' })).totals.views).toBe(0)
		expect((await read({ period: '24h', granularity: 'day' })).series).toMatchObject([
			{ at: '2037-11-21T00:00:00.000Z', views: 1 },
		])
		const all = await read({ period: 'all' })
		expect([all.totals.views, all.hoursOfDay[12]]).toEqual([1, { hour: 12, views: 1, watchedMs: 10_000 }])
		const bad = { from: to, to: from }
		expect(
			(await world.ask(getAssetAnalytics, { params: { assetId: film.id }, query: bad }, ada)).status,
		).toBe(400)
	})

	test('a view of somebody who refuses tracking counts without visitor, browser and referrer', async () => {
		await send('session-a', stateAt(10), { headers: { dnt: '1' } }, { referrer: 'https://blog.example/' })
		const { totals, browsers, referrers } = await read()
		expect([totals.views, totals.dailyUniques]).toEqual([1, 0])
		expect([browsers[0]?.key, referrers[0]?.key]).toEqual(['unknown', 'direct'])
	})

	test('reading analytics costs two statements, whatever the traffic', async () => {
		await send('session-a', stateAt(10))
		await read()
		expect(world.statements.length).toBeLessThanOrEqual(2)
	})
})

describe('the tables of an asset', () => {
	const table = async (query: object = {}) => {
		const asked = { params: { assetId: film.id }, query }
		const { status, headers, text } = await world.ask(getAssetAnalyticsCsv, asked, ada)
		return { status, headers, lines: text.split('\r\n') }
	}

	test('each CSV table of an asset has a name and the numbers of the analytics', async () => {
		const referrer = 'https://=1+2;.example/post'
		await send('session-a', stateAt(10, { renditionMs: { 720: 10_000 } }), {}, { player: 'embed', referrer })
		await send('session-b', stateAt(5, { activity: 'failed', error: '-1.decode' }))
		const series = await table({ period: '24h' })
		expect([series.headers.get('content-type'), series.headers.get('content-disposition')]).toEqual([
			'text/csv; charset=utf-8',
			`attachment; filename="${film.id}-series-2037-11-20-to-2037-11-21.csv"`,
		])
		expect(series.lines).toEqual([
			'at,starts,views,watchedMs,uniques',
			'2037-11-21T12:00:00.000Z,2,2,15000,1',
			'',
		])
		expect((await table({ of: 'referrers' })).lines).toEqual([
			'referrer,views,watchedMs',
			'"\'=1+2;.example",1,10000',
			'direct,1,5000',
			'',
		])
		expect((await table({ of: 'errors' })).lines).toEqual(['error,failures', "'-1.decode,1", ''])
		expect((await table({ of: 'renditions' })).lines).toEqual(['quality,shownMs', '720p,10000', ''])
		const hours = (await table({ of: 'hours' })).lines
		expect([hours.length, hours[13]]).toEqual([26, '12,2,15000'])
		expect((await table({ of: 'retention' })).lines.slice(0, 8)).toEqual([
			'fromMs,share,plays',
			...['0,1,2', '1000,1,2', '2000,1,2', '3000,1,2', '4000,1,2', '5000,0.5,1', '6000,0.5,1'],
		])
		expect((await table({ of: 'browsers' })).lines[1]).toBe('Chrome,2,15000')
	})

	test('the table of totals has a row for every total of the analytics, crowded sessions too', async () => {
		await send('session-a', stateAt(10, { renditionMs: { 720: 10_000 } }))
		const { totals } = await read()
		const { lines } = await table({ of: 'totals' })
		expect(lines).toEqual([
			'total,value',
			...Object.entries(totals).map(([name, value]) => `${name},${value}`),
			'',
		])
		expect(lines).toContain('crowded,0')
	})

	test('tables of an asset that nobody has watched have a header line alone, except for the hours and the totals', async () => {
		for (const of of AnalyticsTable.options)
			if (!['hours', 'totals', 'retention'].includes(of))
				expect((await table({ of })).lines, of).toHaveLength(2)
	})

	test('unknown analytics tables are rejected, and those of another organization return 404', async () => {
		expect((await table({ of: 'visitors' })).status).toBe(400)
		const stranger = await world.person()
		const asked = { params: { assetId: film.id }, query: {} }
		expect((await world.ask(getAssetAnalyticsCsv, asked, stranger)).status).toBe(404)
	})
})

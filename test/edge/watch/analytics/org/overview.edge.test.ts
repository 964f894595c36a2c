import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { getAnalyticsOverview, getAnalyticsOverviewCsv } from '#schema/contract/watch/analytics/overview.ts'
import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { deleteAnalytics } from '../../../../../edge/watch/analytics/delete-analytics.ts'
import type { OrgAnalytics } from '../../../../../edge/watch/analytics/org/org-object.ts'
import type { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import { formatObjectName, ROOT } from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { emptySums } from '../../../../../edge/watch/analytics/sums/sums.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome, stateAt } from '../states.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const NOON = Date.UTC(2037, 10, 21, 12)

type Film = { id: string; playbackId: string }

let world: World
let ada: Person
/** Sessions of people end while these tests let days pass. */
let key: Who
let film: Film
let other: Film
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	const body = { name: 'Reader', scopes: ['read' as const] }
	key = { key: (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data.key }
	film = await makeReady(world, ada)
	other = await makeReady(world, ada)
})

const send = (of: Film, sessionId: string, state: PlaybackState, who: Who = {}) =>
	world.ask(
		sendPlayerEvents,
		{ body: { events: [{ kind: 'view_end', playbackId: of.playbackId, sessionId, state }] } },
		{ ...who, headers: { ...chrome, ...who.headers } },
	)
const objectOf = ({ playbackId }: Film) =>
	(env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>).getByName(
		formatObjectName(playbackId, ROOT),
	)
const org = () => (env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(ada.orgId)
/** Returns the number of rows of each table. */
const tables = () =>
	runInDurableObject(org(), (_, { storage: { sql } }) => {
		const names = sql
			.exec<{ name: string }>("select name from sqlite_master where type = 'table' and name not glob '_cf_*'")
			.toArray()
		return Object.fromEntries(
			names.map(({ name }) => [name, sql.exec(`select count(*) as rows from ${name}`).one().rows]),
		)
	})
/** Lets the sessions that ended become a part of the sums. */
const closeSessions = async (...films: Film[]) => {
	world.pass(10 * MINUTE)
	for (const each of films) await runInDurableObject(objectOf(each), (object) => object.tick(world.now))
}
const read = async (query: object = {}, who: Who = key) =>
	(await world.ask(getAnalyticsOverview, { query }, who)).ok.data
const usage = async () => (await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, key)).ok.data

describe('the overview of an organization', () => {
	test('an organization without watched videos has an empty overview', { tags: 'd1' }, async () => {
		const { totals, before, topVideos, series } = await read()
		expect([totals.attempts, before.totals.views, before.changes.views]).toEqual([0, 0, null])
		expect([topVideos, series]).toEqual([[], []])
	})

	test('the overview adds up the closed sessions of all videos, and lists the most watched videos first', {
		tags: 'd1',
	}, async () => {
		await send(film, 'session-a', stateAt(10))
		await send(other, 'session-b', stateAt(5), { ip: '198.51.100.7' })
		await send(other, 'session-c', stateAt(12))
		expect((await read()).totals.views).toBe(0)
		await closeSessions(film, other)
		const { totals, topVideos, browsers, quality } = await read()
		// One visitor watched both videos.
		expect(totals).toMatchObject({ attempts: 3, views: 3, watchedMs: 27_000, dailyUniques: 2 })
		expect(browsers).toEqual([{ key: 'Chrome', views: 3, watchedMs: 27_000 }])
		expect(quality.scores.success).toBe(100)
		expect(topVideos).toEqual([
			{
				assetId: other.id,
				playbackId: other.playbackId,
				title: 'Film',
				starts: 2,
				views: 2,
				watchedMs: 17_000,
			},
			{
				assetId: film.id,
				playbackId: film.playbackId,
				title: 'Film',
				starts: 1,
				views: 1,
				watchedMs: 10_000,
			},
		])
		expect(world.statements.length).toBeLessThanOrEqual(3)
		const eve = await world.person()
		expect((await read({}, eve)).totals.attempts).toBe(0)
		const csv = await world.ask(getAnalyticsOverviewCsv, { query: { of: 'videos' } }, key)
		expect(csv.text).toBe(
			`assetId,title,starts,views,watchedMs\r\n${other.id},Film,2,2,17000\r\n${film.id},Film,1,1,10000\r\n`,
		)
		expect(csv.headers.get('content-disposition')).toContain('overview-videos-2037-10-22-to-2037-11-21.csv')
	})

	test('the overview has the changes since the period before', { tags: 'd1' }, async () => {
		await send(film, 'session-a', stateAt(10))
		await closeSessions(film)
		world.pass(2 * DAY)
		await send(film, 'session-b', stateAt(10))
		await send(film, 'session-c', stateAt(5))
		await send(film, 'session-d', stateAt(5))
		await closeSessions(film)
		const from = '2037-11-22T00:00:00Z'
		const { totals, before } = await read({ from, to: '2037-11-24T00:00:00Z' })
		expect([totals.views, before.totals.views]).toEqual([3, 1])
		expect(before).toMatchObject({ from: '2037-11-20T00:00:00.000Z', to: '2037-11-22T00:00:00.000Z' })
		expect(before.changes).toMatchObject({ views: 2, watchedMs: 1 })
	})

	test('a batch of counts that is sent twice counts once in the overview', async () => {
		await send(film, 'session-a', stateAt(10))
		await closeSessions(film)
		const again = {
			name: formatObjectName(film.playbackId, ROOT),
			playbackId: film.playbackId,
			isSigned: false,
		}
		const parts = [{ hour: NOON, sums: { ...emptySums(0), views: 7, starts: 7 } }]
		await org().add(again, { number: 1, parts })
		expect((await read()).totals.views).toBe(1)
		await org().add(again, { number: 2, parts })
		expect((await read()).totals.views).toBe(8)
	})

	test('the overview keeps its sums when hours are merged into days, and days into months', async () => {
		await send(film, 'session-a', stateAt(10))
		await closeSessions(film)
		const early = await read()
		const merge = (at: number) => runInDurableObject(org(), (object) => object.merge(at))
		await merge(NOON + 3 * DAY)
		expect({ ...(await read()), at: early.at }).toEqual(early)
		expect(await tables()).toMatchObject({ hours: 0, days: 1, video_hours: 0, video_days: 1 })
		await merge(NOON + 500 * DAY)
		world.pass(500 * DAY)
		const late = await read({ period: 'all' })
		expect([late.totals, late.topVideos]).toEqual([early.totals, early.topVideos])
		expect(late.series).toMatchObject([{ at: '2037-11-01T00:00:00.000Z', views: 1 }])
		expect(await tables()).toMatchObject({ days: 1, video_days: 1 })
	})

	test('deleted videos are left out of the list of an overview, and not of its totals', {
		tags: 'd1',
	}, async () => {
		await send(film, 'session-a', stateAt(10))
		await send(other, 'session-b', stateAt(10))
		await closeSessions(film, other)
		await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
		expect((await read()).topVideos.map(({ assetId }) => assetId)).toEqual([other.id])
		await world.deliver()
		expect((await read()).totals.views).toBe(2)
		expect(await tables()).toMatchObject({ video_hours: 1, senders: 1 })
	})

	test('a deleted video counts until its deletion, with its open sessions', async () => {
		await send(film, 'session-a', stateAt(10))
		await objectOf(film).deleteAll(world.now)
		const { totals, topVideos } = await read()
		expect([totals.views, topVideos]).toEqual([1, []])
	})

	test('the analytics object of an organization wakes only to merge hours into days', async () => {
		const alarmAt = () => runInDurableObject(org(), (_, { storage }) => storage.getAlarm())
		const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
		const from = {
			name: formatObjectName(film.playbackId, ROOT),
			playbackId: film.playbackId,
			isSigned: false,
		}
		await org().add(from, { number: 1, parts: [{ hour, sums: { ...emptySums(0), starts: 1 } }] })
		expect(await alarmAt()).toBeGreaterThan(hour + 2 * DAY)
		await runInDurableObject(org(), async (object, { storage }) => {
			object.merge(hour + 4 * DAY)
			await storage.deleteAlarm()
			await object.alarm()
		})
		expect(await alarmAt()).toBeGreaterThan(hour + 390 * DAY)
	})

	test('the analytics of an organization are deleted with it', async () => {
		await send(film, 'session-a', stateAt(10))
		await closeSessions(film)
		await world.deps((deps) =>
			deleteAnalytics(deps, { type: 'storage.purge', bucket: 'vault', prefix: `orgs/${ada.orgId}/` }),
		)
		expect(await tables()).toEqual({})
	})
})

describe('reported minutes', () => {
	const delivered = (deliveredMs: Record<string, number>) => stateAt(10, { deliveredMs })
	/** A session of ten seconds, since a first report delivers nothing. */
	async function play(of: Film, sessionId: string, state: PlaybackState, who: Who = {}) {
		await send(of, sessionId, stateAt(0), who)
		world.pass(10_000)
		await send(of, sessionId, state, who)
	}
	const reported = async () => {
		const { delivery } = await usage()
		expect(delivery).toMatchObject({ total: 0, public: [] })
		return delivery?.publicCheck.reported
	}

	test('reported minutes are shown by quality, and none of them is billed', async () => {
		await play(film, 'session-a', delivered({ 700: 24_000, 1080: 6_000 }))
		await play(other, 'session-b', delivered({ 720: 24_000, 9999: 6_000 }))
		await closeSessions(film, other)
		expect(await reported()).toEqual([
			{ quality: '720p', minutes: 0.8 },
			{ quality: '1080p', minutes: 0.1 },
			{ quality: '2160p', minutes: 0.1 },
		])
	})

	test('a session delivers nothing with its first report, and only qualities that the video has', async () => {
		const small = await makeReady(world, ada, 'Small', { width: 360, height: 640 })
		await send(small, 'session-a', delivered({ 240: 6_000, 1080: 1e9, 2160: 1e9 }))
		await play(small, 'session-b', delivered({ 240: 6_000, 1080: 18_000 }))
		await closeSessions(small)
		expect(await reported()).toEqual([
			{ quality: '240p', minutes: 0.1 },
			{ quality: '360p', minutes: 0.3 },
		])
	})

	test('reported minutes include members and programs, which analytics exclude', async () => {
		await play(film, 'session-a', delivered({ 720: 6_000 }))
		await play(film, 'session-b', delivered({ 720: 12_000, 480: 6_000 }), ada)
		await play(film, 'session-c', delivered({ 720: 6_000 }), { headers: { 'user-agent': 'curl/8' } })
		await closeSessions(film)
		expect(await reported()).toEqual([
			{ quality: '480p', minutes: 0.1 },
			{ quality: '720p', minutes: 0.4 },
		])
		expect((await read()).delivered).toEqual([{ key: '720p', ms: 6_000 }])
	})

	test('usage has null for the delivered minutes if the object of the organization fails', async () => {
		await runInDurableObject(
			org(),
			(_, { storage }) => void storage.sql.exec('create table delivery (x text)'),
		)
		const { delivery, used } = await usage()
		expect(delivery).toBeNull()
		expect(used).toMatchObject({ deliveryMinutesPerMonth: null, members: 1, apiKeys: 1 })
		expect(world.logs.map(({ message }) => message)).toContain(
			'the minutes delivered for an organization could not be read',
		)
	})

	test('reported minutes are shown in the month in which the session began', async () => {
		await play(film, 'session-a', delivered({ 720: 30_000 }))
		await closeSessions(film)
		expect(await reported()).toHaveLength(1)
		world.pass(10 * DAY)
		expect(await reported()).toEqual([])
	})
})

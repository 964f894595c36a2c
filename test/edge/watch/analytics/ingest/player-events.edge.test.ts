/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createPlaybackToken, deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
import { getLiveCount } from '#schema/contract/watch/analytics/live-viewers.ts'
import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { type PlayerEventKind, sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'

import { formatObjectName, ROOT } from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome, stateAt } from '../states.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

const viewer = (more: Who = {}): Who => ({ ...more, headers: { ...chrome, ...more.headers } })
const send = (events: unknown[], who: Who = viewer(), more: object = {}) =>
	world.ask(sendPlayerEvents, { body: { events, ...more } }, who)
const beat = (
	sessionId: string,
	state: PlaybackState,
	{ kind = 'heartbeat', ...more }: { kind?: PlayerEventKind; token?: string } = {},
) => ({ kind, playbackId: film.playbackId, sessionId, state, ...more })
const sendBeat = async (...args: Parameters<typeof beat>) => (await send([beat(...args)])).ok.data
const viewers = async () =>
	(await world.ask(getLiveCount, { params: { assetId: film.id } }, ada)).ok.data.viewers

describe('player events', () => {
	test('player events need no SQL for a cached video, and return the next beat and the live count', async () => {
		await sendBeat('session-a', stateAt(0), { kind: 'view_start' })
		const { status, ok, statements } = await send([beat('session-b', stateAt(0), { kind: 'view_start' })])
		expect([status, statements]).toEqual([202, []])
		const { accepted, rejected, problems, sessions } = ok.data
		expect([accepted, rejected, problems]).toEqual([1, 0, []])
		expect(sessions).toEqual([
			{ sessionId: 'session-b', token: expect.any(String), nextBeatMs: 10_000, live: expect.any(Number) },
		])
		expect(await viewers()).toBe(2)
	})

	test('player events are checked one by one, so that a bad one does not drop the others', async () => {
		const good = beat('session-a', stateAt(5))
		const { accepted, rejected, problems, sessions } = (
			await send([
				good,
				1,
				null,
				{ ...good, kind: 'dance' },
				{ ...good, state: { ...stateAt(5), watchedMs: -1 } },
				{ ...good, state: undefined },
				{ ...good, playbackId: 'A'.repeat(22) },
				{ ...good, sessionId: 'short' },
			])
		).ok.data
		expect([accepted, rejected]).toEqual([1, 7])
		expect(problems.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7])
		expect(problems[5]?.message).toBe('no such playback')
		expect(problems[4]?.message).toBe('must have state, or else the time of the event (at)')
		expect(sessions).toHaveLength(1)
	})

	test('player events are logged only if the request fails, as there are so many', async () => {
		world.logs.length = 0
		await sendBeat('session-a', stateAt(3))
		expect(world.logs).toEqual([])
		await send([])
		expect(world.logs).toMatchObject([{ message: 'request', operation: 'sendPlayerEvents', status: 400 }])
	})

	test('a request with player events has 1 to 50 of them', async () => {
		expect((await send([])).status).toBe(400)
		const many = Array.from({ length: 51 }, (_, k) => beat('session-a', stateAt(k)))
		expect((await send(many)).status).toBe(400)
		expect((await send(many.slice(0, 50))).ok.data.accepted).toBe(50)
	})

	test('player events of more than five sessions are rejected, as they would count as many viewers', async () => {
		const many = Array.from({ length: 7 }, (_, k) => beat(`session-${k}`, stateAt(1)))
		const { accepted, problems } = (await send(many)).ok.data
		expect([accepted, problems.map(({ index }) => index)]).toEqual([5, [5, 6]])
		expect(await viewers()).toBe(5)
	})

	test('player events may be sent as text/plain, as beacons are', async () => {
		const body = JSON.stringify({ events: [beat('session-a', stateAt(3))] })
		const request = (type: string) =>
			new Request('https://edge.test/v1/analytics/events', {
				method: 'POST',
				body,
				headers: { 'content-type': type, ...chrome, origin: 'https://blog.example' },
			})
		const response = await world.fetch(request('text/plain;charset=UTF-8'))
		expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([202, '*'])
		expect((await world.fetch(request('text/html'))).status).toBe(415)
		expect(await viewers()).toBe(1)
	})

	test('player events of signed videos need a playback token, or an earlier session token', async () => {
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility: 'signed' } }, ada)
		const event = beat('session-a', stateAt(3))
		expect((await send([event])).ok.data.problems[0]?.message).toMatch(/playback token/)
		const { token } = (await world.ask(createPlaybackToken, { params: { assetId: film.id }, body: {} }, ada))
			.ok.data
		const first = (await send([event], viewer(), { viewerToken: token })).ok.data
		expect(first.accepted).toBe(1)
		const later = beat('session-a', stateAt(13), { token: first.sessions[0]?.token ?? '' })
		expect((await send([later])).ok.data.accepted).toBe(1)
	})

	test('player events of deleted videos are rejected, and deleted with the media', async () => {
		await sendBeat('session-a', stateAt(3), { kind: 'view_end' })
		await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
		await world.deliver()
		const object = env.PLAYBACK_SESSIONS.getByName(formatObjectName(film.playbackId, ROOT))
		expect(
			await runInDurableObject(object, async (_, { storage }) => [
				storage.sql.exec("select name from sqlite_master where name not glob '_cf_*'").toArray(),
				[...storage.kv.list()],
				await storage.getAlarm(),
			]),
		).toEqual([[], [], null])
		expect(await sendBeat('session-a', stateAt(13))).toMatchObject({ accepted: 0, rejected: 1 })
	})
})

describe('session tokens', () => {
	test('a session token belongs to one session of one video, and expires after half an hour', async () => {
		const { sessions } = await sendBeat('session-a', stateAt(3))
		const token = sessions[0]?.token ?? ''
		expect((await sendBeat('session-a', stateAt(13), { token })).accepted).toBe(1)
		expect((await sendBeat('session-b', stateAt(13), { token })).problems[0]?.message).toBe(
			'the session is over; start a new one',
		)
		expect((await sendBeat('session-a', stateAt(14), { token: `${token}x` })).rejected).toBe(1)
		world.pass(31 * 60_000)
		expect((await sendBeat('session-a', stateAt(15), { token })).rejected).toBe(1)
	})
})

describe('the live count', () => {
	test('the live count leaves out members, keys and programs', async () => {
		const reader = { params: { orgId: ada.orgId }, body: { name: 'reader', scopes: ['read' as const] } }
		const { key } = (await world.ask(createApiKey, reader, ada)).ok.data
		await send([beat('session-a', stateAt(3))], viewer({ token: ada.token }))
		await send([beat('session-b', stateAt(3))], viewer({ key }))
		await send([beat('session-c', stateAt(3))], { headers: { 'user-agent': 'Googlebot/2.1' } })
		await send([beat('session-d', stateAt(3))], {})
		expect(await viewers()).toBe(0)
		const stranger = await world.person()
		await send([beat('session-e', stateAt(3))], viewer({ token: stranger.token }))
		expect(await viewers()).toBe(1)
	})

	test('the live count leaves out viewers who ask not to be tracked, if the organization says so', async () => {
		await world.ask(updateSettings, { body: { analytics: { onDoNotTrack: 'nothing' } } }, ada)
		for (const [name, value] of [
			['dnt', '1'],
			['sec-gpc', '1'],
		] as const)
			expect(
				(await send([beat('session-a', stateAt(3))], viewer({ headers: { [name]: value } }))).ok.data,
			).toMatchObject({ accepted: 1, sessions: [{ nextBeatMs: 120_000, live: null }] })
		expect(await viewers()).toBe(0)
		await send([beat('session-b', stateAt(3))], viewer({ headers: { dnt: '0' } }))
		expect(await viewers()).toBe(1)
	})

	test('the live count drops a viewer at the end, after silence, and after a pause of five minutes', async () => {
		await sendBeat('session-a', stateAt(3))
		await sendBeat('session-b', stateAt(3))
		await sendBeat('session-c', stateAt(3, { activity: 'paused' }))
		world.pass(1_000)
		expect(await viewers()).toBe(3)
		await sendBeat('session-a', stateAt(4), { kind: 'view_end' })
		world.pass(1_000)
		expect(await viewers()).toBe(2)
		world.pass(26_000)
		expect(await viewers()).toBe(0)
		for (let minute = 0; minute < 6; minute++) {
			await sendBeat('session-c', stateAt(4 + minute, { activity: 'paused' }))
			world.pass(minute < 5 ? 60_000 : 1_000)
		}
		expect(await viewers()).toBe(0)
		await sendBeat('session-c', stateAt(11))
		world.pass(1_000)
		expect(await viewers()).toBe(1)
	})

	test('the live count is shown to players only if the organization enables it', async () => {
		await world.ask(updateSettings, { body: { analytics: { showLiveCount: false } } }, ada)
		expect((await sendBeat('session-a', stateAt(3))).sessions[0]?.live).toBeNull()
	})
})

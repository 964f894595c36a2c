/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { getAssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import { getLiveCount } from '#schema/contract/watch/analytics/live-viewers.ts'
import { getPlaybackSession } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { deriveSessionId } from '../../../../../edge/watch/analytics/ingest/cmcd/cmcd-session.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome } from '../states.ts'
import { recordedByHlsJs } from './hlsjs-recording.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'Film', { durationSec: 600 })
})

const post = (
	body: BodyInit,
	{ type = 'application/cmcd', query = '' }: { type?: string; query?: string } = {},
) =>
	world.fetch(
		new Request(`https://edge.test/v1/analytics/events${query}`, {
			method: 'POST',
			body,
			headers: { ...chrome, 'content-type': type, origin: 'https://blog.example' },
		}),
	)
type Answer = {
	data: {
		accepted: number
		rejected: number
		problems: { index: number; message: string }[]
		sessions: unknown[]
	}
}
const send = async (records: readonly string[], more: Parameters<typeof post>[1] = {}) => {
	const response = await post(`${records.join('\n')}\n`, more)
	expect(response.status).toBe(202)
	return ((await response.json()) as Answer).data
}
const recorded = (sid: string) => recordedByHlsJs(film.playbackId, sid)
const analytics = async () =>
	(await world.ask(getAssetAnalytics, { params: { assetId: film.id }, query: { period: '24h' } }, ada)).ok
		.data

describe('events of CMCD', () => {
	test('CMCD events count as a session, however often and in whatever order they arrive', async () => {
		const once = recorded('viewer-1')
		await send(once.slice(0, 1))
		world.pass(25_000)
		expect(await send(once)).toMatchObject({ accepted: 24, rejected: 0, problems: [] })
		const first = await analytics()
		expect(first.totals).toMatchObject({ attempts: 1, starts: 1, views: 1, engaged: 0, completed: 0 })
		expect(first.totals).toMatchObject({ watchedMs: 17_532, playedMs: 16_480, averageShareWatched: null })
		expect(first.quality).toMatchObject({ stalled: 1_052 / 17_532, seekMs: 12, switchesUp: 2 })
		expect(Math.round(first.quality.bitrateKbps ?? 0)).toBe(897)
		expect(first.retention?.shares.every((share) => share === 0)).toBe(true)
		expect(first.players).toEqual([{ key: 'other', views: 1, watchedMs: 17_532 }])
		expect(first.referrers).toEqual([{ key: 'blog.example', views: 1, watchedMs: 17_532 }])

		await send([...once.toReversed(), ...once])
		for (const record of once.toReversed()) await send([record])
		expect({ ...(await analytics()), at: first.at }).toEqual(first)
	})

	test('CMCD events may have the media type of the draft, and come from pages of any origin', async () => {
		expect((await send(recorded('viewer-1'), { type: 'text/cmcd; charset=utf-8' })).accepted).toBe(24)
		const preflight = await world.fetch(
			new Request('https://edge.test/v1/analytics/events', {
				method: 'OPTIONS',
				headers: {
					origin: 'https://blog.example',
					'access-control-request-method': 'POST',
					'access-control-request-headers': 'content-type',
				},
			}),
		)
		expect(preflight.status).toBe(204)
		expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
		expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type')
	})

	test('CMCD events show a viewer until two and a half intervals after the last', async () => {
		await send(recorded('viewer-1').slice(0, 6))
		const viewers = async () =>
			(await world.ask(getLiveCount, { params: { assetId: film.id } }, ada)).ok.data.viewers
		expect(await viewers()).toBe(1)
		world.pass(74_000)
		expect(await viewers()).toBe(1)
		world.pass(2_000)
		expect(await viewers()).toBe(0)
	})

	test('CMCD events of signed videos need a playback token in the URL', async () => {
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility: 'signed' } }, ada)
		const { token } = (await world.ask(createPlaybackToken, { params: { assetId: film.id }, body: {} }, ada))
			.ok.data
		expect(await send(recorded('viewer-1'))).toMatchObject({ accepted: 0, rejected: 24 })
		expect(await send(recorded('viewer-1'), { query: `?token=${token}` })).toMatchObject({ accepted: 24 })
	})

	test('the time line of CMCD events is found by the sid that the player logs', async () => {
		const sid = '58af67d2-7036-4b2c-94b3-7c9bf22a0f39'
		await send(recorded(sid))
		await send(recorded('short'))
		const find = (sessionId: string) =>
			world.ask(getPlaybackSession, { params: { assetId: film.id, sessionId } }, ada)
		const [found, ...others] = (await find(sid)).ok.data.sessions
		expect(others).toEqual([])
		expect(found).toMatchObject({ reportId: sid, totals: { activity: 'ended', stalls: 1 } })
		expect((await find(found?.sessionId ?? '')).ok.data.sessions).toEqual([found])
		const [unnamed] = (await find(await deriveSessionId('short'))).ok.data.sessions
		expect(unnamed?.reportId).toBeNull()
	})

	test('CMCD records are checked one by one, so that a bad one does not drop the others', async () => {
		const good = recorded('viewer-1').slice(0, 2)
		const other = recordedByHlsJs('B'.repeat(22)).slice(0, 1)
		const bad = ['', 'x'.repeat(3_000), '__proto__=1', '{"events":[]}']
		const { accepted, problems } = await send([...good, ...bad, ...other])
		expect([accepted, problems.map(({ index }) => index)]).toEqual([2, [2, 3, 4, 5, 6]])
	})

	test('a request with CMCD events has 1 to 50 of them', async () => {
		const record = recorded('viewer-1')[0] ?? ''
		expect((await send(Array(50).fill(record))).accepted).toBe(50)
		expect((await post(Array(51).fill(record).join('\n'))).status).toBe(400)
		expect((await post('')).status).toBe(400)
		expect((await post('\n\n')).status).toBe(400)
	})

	test('CMCD events never cause a 5xx response, whatever the body is', async () => {
		const random = crypto.getRandomValues(new Uint8Array(65_536))
		const bodies: [BodyInit, number[]][] = [
			[random, [202, 400]],
			[random.slice(0, 500), [202, 400]],
			[random.map((byte) => (byte % 40 === 0 ? 10 : byte)).slice(0, 1_000), [202, 400]],
			['x'.repeat(65 * 1_024), [202]],
			[`${'a=1,'.repeat(500)}a=1\n`.repeat(50), [202]],
			[`${'k'.repeat(1_500)}="${'v'.repeat(500)}"\n`.repeat(40), [202]],
			['constructor=1,prototype=2,valueof=(1;constructor=2)', [202]],
			[new Uint8Array([0xff, 0xfe, 0, 10, 0xc3, 0x28]), [202]],
			['x'.repeat(131_073), [413]],
		]
		for (const [body, allowed] of bodies) expect(allowed).toContain((await post(body)).status)
	})
})

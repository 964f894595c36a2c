/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getAssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import { getLiveCount } from '#schema/contract/watch/analytics/live-viewers.ts'
import { getPlaybackSession } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { chrome } from '../states.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	for (const path of [
		'h264-720p/1.m4s',
		'h264-720p/2.m4s',
		'h264-360p/3.m4s',
		'a1/1.m4s',
		'h264-720p/init.mp4',
	])
		await env.MEDIA.put(`media/${film.playbackId}/v1/${path}`, '0123456789')
})

const load = (path: string, { cmcd, ...headers }: Record<string, string> = {}, method = 'GET') => {
	const url = new URL(`https://edge.test/media/${film.playbackId}/v1/${path}`)
	if (cmcd !== undefined) url.searchParams.set('CMCD', cmcd)
	return world.fetch(new Request(url, { method, headers: { ...chrome, ...headers } }))
}
const video = (sid: string, more = '') => `d=4000,ot=v,sid="${sid}"${more}`
const analytics = async () =>
	(await world.ask(getAssetAnalytics, { params: { assetId: film.id }, query: { period: '24h' } }, ada as Who))
		.ok.data
const viewers = async () =>
	(await world.ask(getLiveCount, { params: { assetId: film.id } }, ada)).ok.data.viewers

describe('CMCD in requests for segments', () => {
	test('CMCD in segment requests shows the viewer, and the qualities delivered, every 20 seconds', async () => {
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1') })
		expect(await viewers()).toBe(1)
		expect((await analytics()).delivered).toEqual([{ key: '720p', ms: 4_000 }])
		world.pass(5_000)
		await load('h264-720p/2.m4s', { cmcd: video('viewer-1', ',bs') })
		expect((await analytics()).delivered).toEqual([{ key: '720p', ms: 4_000 }])
		world.pass(15_000)
		await load('h264-360p/3.m4s', { cmcd: video('viewer-1') })
		const { delivered, totals, quality } = await analytics()
		expect(delivered).toEqual([
			{ key: '720p', ms: 8_000 },
			{ key: '360p', ms: 4_000 },
		])
		expect(totals).toMatchObject({ attempts: 1, starts: 0, views: 0, watchedMs: 0 })
		expect(quality.exitsBeforeStart).toBe(0)
	})

	test('the time line of CMCD in segment requests is found by the sid', async () => {
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1') })
		const key = { params: { assetId: film.id, sessionId: 'viewer-1' } }
		const { sessions } = (await world.ask(getPlaybackSession, key, ada)).ok.data
		expect(sessions).toMatchObject([{ reportId: 'viewer-1', totals: { deliveredMs: { 720: 4_000 } } }])
	})

	test('CMCD in headers takes precedence over the query', async () => {
		await load('h264-720p/1.m4s', {
			'CMCD-Object': 'd=4000,ot=v',
			'CMCD-Session': 'sid="viewer-1"',
			cmcd: video('viewer-2'),
		})
		expect(await viewers()).toBe(1)
		await load('h264-720p/1.m4s', { 'CMCD-Object': 'd=4000,ot=v', cmcd: video('viewer-2') })
		expect(await viewers()).toBe(1)
		await load('h264-720p/1.m4s', { cmcd: video('viewer-2') })
		world.pass(1_000)
		expect(await viewers()).toBe(2)
	})

	test('CMCD in segment requests changes nothing in the response, and costs no SQL', async () => {
		const plain = await load('h264-720p/1.m4s')
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1') })
		world.statements.length = 0
		const noted = await load('h264-720p/1.m4s', { cmcd: video('viewer-2') })
		expect(world.statements).toEqual([])
		expect([noted.status, await noted.text()]).toEqual([plain.status, await plain.text()])
		const withoutIds = ({ headers }: Response) =>
			[...headers].filter(([name]) => !['x-request-id', 'server-timing'].includes(name))
		expect(withoutIds(noted)).toEqual(withoutIds(plain))
		expect(await viewers()).toBe(2)
	})

	test('CMCD in requests for parts of a segment counts their bytes', async () => {
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1'), range: 'bytes=1-' })
		expect((await analytics()).delivered).toEqual([{ key: '720p', ms: 3_600 }])
		world.pass(20_000)
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1'), range: 'bytes=0-0' })
		expect((await analytics()).delivered).toEqual([{ key: '720p', ms: 4_000 }])
	})

	test('CMCD counts nothing for other files, sound, failures and other versions', async () => {
		for (const cmcd of ['', '((', 'd=4000,ot=v', video('x'.repeat(65)), video('v3', ',v=3'), 'sid="'])
			expect((await load('h264-720p/1.m4s', { cmcd })).status).toBe(200)
		await load('h264-720p/init.mp4', { cmcd: video('viewer-1') })
		await load('h264-720p/9.m4s', { cmcd: video('viewer-1') })
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1') }, 'HEAD')
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1'), range: 'bytes=99-' })
		expect((await analytics()).totals.attempts).toBe(0)
		await load('a1/1.m4s', { cmcd: 'd=4000,ot=a,sid="viewer-2"' })
		await load('h264-720p/1.m4s', { cmcd: 'd=900000000,ot=v,sid="viewer-3"' })
		const { totals, delivered } = await analytics()
		expect([totals.attempts, delivered]).toEqual([2, []])
	})

	test('CMCD in segment requests belongs to the session of the events with the same sid', async () => {
		await load('h264-720p/1.m4s', { cmcd: video('viewer-1') })
		const record = (more: string) => `cid="${film.playbackId}",e=ps,sid="viewer-1",v=2,${more}`
		await world.fetch(
			new Request('https://edge.test/v1/analytics/events', {
				method: 'POST',
				body: [record('sta=s,ts=1000'), record('sta=p,ts=1500'), record('sta=e,ts=9500')].join('\n'),
				headers: { ...chrome, 'content-type': 'application/cmcd' },
			}),
		)
		const { totals, delivered } = await analytics()
		expect(totals).toMatchObject({ attempts: 1, starts: 1, views: 1, watchedMs: 8_000 })
		expect(delivered).toEqual([{ key: '720p', ms: 4_000 }])
	})

	test('pages of any origin may send CMCD with segment requests, in headers too', async () => {
		const { headers } = await load('h264-720p/1.m4s', { origin: 'https://blog.example' }, 'OPTIONS')
		expect(headers.get('access-control-allow-headers')).toBe(
			'Range, If-None-Match, If-Range, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session',
		)
	})
})

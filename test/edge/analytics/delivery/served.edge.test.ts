/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { getOrgUsage } from '#schema/contract/platform/orgs.ts'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import type { OrgAnalytics } from '../../../../edge/analytics/org/org-object.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'

const DAY = 86_400_000
const NOON = Date.UTC(2037, 10, 21, 12)

let world: World
let ada: Person
let film: { id: string; playbackId: string }
let token: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	for (const path of [
		'h264-720p/0.m4s',
		'h264-720p/3.m4s',
		'h264-360p/1.m4s',
		'a1/1.m4s',
		'h264-720p/init.mp4',
	])
		await env.MEDIA.put(`media/${film.playbackId}/v1/${path}`, '0123456789')
	const playlist = [4.8, 4.8, 2.4, 0.5].map((sec, index) => `#EXTINF:${sec.toFixed(6)},\n${index}.m4s\n`)
	await env.MEDIA.put(`media/${film.playbackId}/v1/h264-720p.m3u8`, `#EXTM3U\n${playlist.join('')}`)
	const params = { assetId: film.id }
	await world.ask(updateAsset, { params, body: { visibility: 'signed' } }, ada)
	token = (await world.ask(createPlaybackToken, { params, body: {} }, ada)).ok.data.token
})

const load = async (path: string, headers = {}, method = 'GET') =>
	(
		await world.fetch(
			new Request(`https://edge.test/media/${film.playbackId}/~${token}/v1/${path}`, { method, headers }),
		)
	).status
const delivery = async () =>
	(await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)).ok.data.delivery
const org = () => (env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(ada.orgId)

describe('the minutes of signed videos', () => {
	test('are those that the Worker served, parts of a segment by their bytes', async () => {
		expect(await load('h264-720p/0.m4s')).toBe(200)
		for (const range of ['bytes=0-0', 'bytes=1-', 'bytes=-5'])
			expect(await load('h264-720p/3.m4s', { range })).toBe(206)
		expect(await load('h264-720p/3.m4s', { range: 'bytes=99-' })).toBe(416)
		expect(await load('h264-360p/1.m4s')).toBe(200)
		for (const other of ['a1/1.m4s', 'h264-720p/init.mp4', 'h264-720p.m3u8'])
			expect(await load(other)).toBe(200)
		expect(await load('h264-720p/0.m4s', {}, 'HEAD')).toBe(200)
		expect(await load('h264-720p/9.m4s')).toBe(404)
		// The last segment is half a second long, and its second half was loaded twice.
		const minutes = (4.8 + 0.75) / 60
		// A segment without a playlist has the usual length.
		expect(await delivery()).toMatchObject({
			total: expect.closeTo(minutes + 4 / 60, 9),
			public: [],
			signed: {
				served: [
					{ quality: '360p', minutes: 4 / 60 },
					{ quality: '720p', minutes },
				],
				reported: [],
				difference: -1,
			},
		})
	})

	test('cost one read of storage for each rendition, besides the segments', async () => {
		const read: string[] = []
		const { get } = env.MEDIA
		const spy = vi.spyOn(env.MEDIA, 'get').mockImplementation(((key: string, ...rest: []) => {
			read.push(key)
			return get.call(env.MEDIA, key, ...rest)
		}) as typeof get)
		onTestFinished(() => spy.mockRestore())
		for (const path of ['h264-720p/0.m4s', 'h264-720p/3.m4s', 'h264-720p/0.m4s']) await load(path)
		expect(read.filter((key) => key.endsWith('.m3u8'))).toHaveLength(1)
	})

	test('cost no statement for a video in the cache, and nothing is counted for public ones', async () => {
		await load('h264-720p/0.m4s')
		world.statements.length = 0
		await load('h264-720p/0.m4s')
		expect(world.statements).toEqual([])
		const before = await delivery()
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility: 'public' } }, ada)
		const path = `https://edge.test/media/${film.playbackId}/v1/h264-720p/0.m4s`
		expect((await world.fetch(new Request(path))).status).toBe(200)
		expect(await delivery()).toEqual(before)
	})

	test('count once if an isolate says them again, and when they become a part of their month', async () => {
		const count = { source: 'isolate-1', month: '2037-11', qualities: { '720p': 60_000 } }
		await org().noteServed({ ...count, version: 2, qualities: { '720p': 120_000 } }, NOON)
		for (const version of [1, 2]) await org().noteServed({ ...count, version }, NOON)
		await org().noteServed({ ...count, source: 'isolate-2', version: 1 }, NOON)
		expect((await delivery())?.total).toBe(3)
		await runInDurableObject(org(), async (object, { storage }) => {
			object.merge(NOON + 3 * DAY)
			expect(storage.sql.exec('select * from served').toArray()).toEqual([])
			await object.noteServed({ ...count, source: 'isolate-3', version: 1 }, NOON + 3 * DAY)
		})
		expect((await delivery())?.total).toBe(4)
	})
})

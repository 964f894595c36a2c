/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import type { OrgAnalytics } from '../../../../../edge/watch/analytics/org/org-object.ts'
import { answerMedia } from '../../../../../edge/watch/playback/media.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aStandardFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'

const DAY = 86_400_000
const NOON = Date.UTC(2037, 10, 21, 12)
/** Its segments are 4, 4 and 2.04 s long, those of the copied source too. */
const FRAMES = 251
const SECONDS = FRAMES / 25

let world: World
let ada: Person
let film: { assetId: string; playbackId: string }
/** The names of the files in the folder of the video, by rendition. */
let segments: Record<string, string[]>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	const info = aStandardFilm(10)
	if (info.video) info.video = { ...info.video, frameCount: FRAMES, durationSec: SECONDS }
	const machine = await openMachine(world, { info: { ...info, durationSec: SECONDS } })
	film = await openStudio(world, ada).upload()
	await openStudio(world, ada).start(film.assetId)
	expect(await machine.drain()).toContain('remux')
	segments = {}
	const prefix = `media/${film.playbackId}/`
	for (const { key } of (await env.MEDIA.list({ prefix })).objects) {
		const [, rendition] = /\/([^/]+)\/\d+\.m4s$/.exec(key) ?? []
		if (rendition) segments[rendition] = [...(segments[rendition] ?? []), key.slice(prefix.length)].sort()
	}
	expect(segments['h264-720p']).toHaveLength(3)
	expect(segments['h264-360p']).toHaveLength(3)
})

const setVisibility = (visibility: 'public' | 'unlisted' | 'signed') =>
	world.ask(updateAsset, { params: { assetId: film.assetId }, body: { visibility } }, ada)
async function sign(): Promise<string> {
	await setVisibility('signed')
	const { ok } = await world.ask(createPlaybackToken, { params: { assetId: film.assetId }, body: {} }, ada)
	return `~${ok.data.token}/`
}
const requestFor = (path: string, token: string, headers = {}, method = 'GET') =>
	new Request(`https://edge.test/media/${film.playbackId}/${token}${path}`, { method, headers })
const load = async (path: string, token = '', headers = {}, method = 'GET') =>
	(await world.fetch(requestFor(path, token, headers, method))).status
const segment = (rendition: string, index: number): string => segments[rendition]?.[index] ?? ''
const delivery = async () =>
	(await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)).ok.data.delivery
const org = () => (env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(ada.orgId)
/** Records the keys that are read from the media bucket. */
function watchReads(): string[] {
	const read: string[] = []
	const { get } = env.MEDIA
	const spy = vi.spyOn(env.MEDIA, 'get').mockImplementation(((key: string, ...rest: []) => {
		read.push(key)
		return get.call(env.MEDIA, key, ...rest)
	}) as typeof get)
	onTestFinished(() => spy.mockRestore())
	return read
}

describe('the minutes delivered', () => {
	test.each(['public', 'unlisted', 'signed'] as const)(
		'served minutes of %s video are billed to the second, copied renditions included',
		async (visibility) => {
			const token = visibility === 'signed' ? await sign() : ''
			if (visibility === 'unlisted') await setVisibility('unlisted')
			for (const path of [...(segments['h264-720p'] ?? []), ...(segments['h264-360p'] ?? [])])
				expect(await load(path, token)).toBe(200)
			const expected = [
				{ quality: '360p', minutes: expect.closeTo(SECONDS / 60, 9) },
				{ quality: '720p', minutes: expect.closeTo(SECONDS / 60, 9) },
			]
			const served = await delivery()
			expect(served?.total).toBeCloseTo((2 * SECONDS) / 60, 9)
			expect(served?.public).toEqual(visibility === 'signed' ? [] : expected)
			expect(served?.signed.served).toEqual(visibility === 'signed' ? expected : [])
		},
	)

	test('video in a quality that is not planned counts as the next higher one', async () => {
		const { objects } = await env.MEDIA.list({ prefix: `media/${film.playbackId}/` })
		for (const { key } of objects.filter((each) => /h264-360p(\/\d+\.m4s|\.m3u8)$/.test(each.key))) {
			const text = await (await env.MEDIA.get(key))?.text()
			await env.MEDIA.put(
				key.replace('h264-360p', 'h264-342p60'),
				(text ?? '').replaceAll('h264-360p', 'h264-342p60'),
			)
		}
		for (const path of segments['h264-360p'] ?? [])
			expect(await load(path.replace('h264-360p', 'h264-342p60'))).toBe(200)
		expect((await delivery())?.public).toEqual([
			{ quality: '360p', minutes: expect.closeTo(SECONDS / 60, 9) },
		])
	})

	test('parts of a segment count by their bytes, and other files and HEAD requests do not count', async () => {
		const last = segment('h264-720p', 2)
		const bytes = (await env.MEDIA.head(`media/${film.playbackId}/${last}`))?.size ?? 0
		for (const range of ['bytes=0-0', 'bytes=1-', `bytes=-${bytes}`])
			expect(await load(last, '', { range })).toBe(206)
		expect(await load(last, '', { range: 'bytes=99-' })).toBe(416)
		for (const other of [
			segment('a0', 0),
			last.replace(/\d+\.m4s/, 'init.mp4'),
			`${last.split('/')[0]}/h264-720p.m3u8`,
		])
			expect(await load(other)).toBe(200)
		expect(await load(last, '', {}, 'HEAD')).toBe(200)
		expect(await load(last.replace('2.m4s', '9.m4s'))).toBe(404)
		expect((await delivery())?.total).toBeCloseTo((2 * 2.04) / 60, 9)
	})

	test.each(['public', 'signed'] as const)(
		'counting %s video reads one playlist for each rendition and runs no statement',
		async (visibility) => {
			const token = visibility === 'signed' ? await sign() : ''
			await load(segment('h264-720p', 0), token)
			const read = watchReads()
			world.statements.length = 0
			for (const index of [0, 1, 2, 0]) {
				await load(segment('h264-720p', index), token)
				await load(segment('h264-360p', index), token)
			}
			expect(read.filter((key) => key.endsWith('.m4s'))).toHaveLength(8)
			expect(read.filter((key) => !key.endsWith('.m4s'))).toEqual([
				`media/${film.playbackId}/${segment('h264-360p', 0).split('/')[0]}/h264-360p.m3u8`,
			])
			expect(world.statements).toEqual([])
		},
	)

	test('a response that the client aborts is not billed', async () => {
		await world.deps(async (deps) => {
			const response = await answerMedia(requestFor(segment('h264-720p', 0), ''), deps)
			await response.body?.cancel()
		})
		expect((await delivery())?.total).toBe(0)
	})

	test('served minutes count once if an isolate sends them again or they are merged into their month', async () => {
		const count = { source: 'isolate-1', month: '2037-11', qualities: { '720p': 60_000 } }
		await org().noteServed({ ...count, version: 2, qualities: { '720p': 120_000 } }, NOON)
		for (const version of [1, 2]) await org().noteServed({ ...count, version }, NOON)
		await org().noteServed({ ...count, source: 'isolate-2', version: 1 }, NOON)
		await org().noteServed({ ...count, source: 'isolate-4', version: 1, access: 'public' }, NOON)
		expect((await delivery())?.total).toBe(4)
		await runInDurableObject(org(), async (object, { storage }) => {
			object.merge(NOON + 3 * DAY)
			for (const table of ['served', 'served_public'])
				expect(storage.sql.exec(`select * from ${table}`).toArray()).toEqual([])
			await object.noteServed({ ...count, source: 'isolate-3', version: 1 }, NOON + 3 * DAY)
		})
		expect((await delivery())?.total).toBe(5)
		expect((await delivery())?.public).toEqual([{ quality: '720p', minutes: 1 }])
	})
})

import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import {
	createAsset,
	deleteAsset,
	getAsset,
	listAssets,
	resetThumbnail,
	setThumbnail,
} from '#schema/contract/video/assets.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeJpg, makePng, makeWebp } from '../../../support/shared/pictures.ts'
import {
	wholeJpg as jpg,
	wholePng as png,
	wholeWebp as webp,
} from '../../../support/shared/whole-pictures.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

let world: World
let ada: Person
let assetId: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	assetId = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id
})

const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0))

const params = () => ({ assetId })
const put = (bytes: BodyInit, headers: Record<string, string> = {}, who: Person = ada) =>
	world.ask(setThumbnail, { params: params() }, { ...who, bytes, headers })
const reset = () => world.ask(resetThumbnail, { params: params() }, ada)
const stored = async () => (await env.MEDIA.list()).objects.map(({ key }) => key)
const fetchPicture = (url: string, headers: Record<string, string> = {}) =>
	world.fetch(new Request(url, { headers }))

test.each([
	['JPG', jpg, 'image/jpeg'],
	['PNG', png, 'image/png'],
	['WebP', webp, 'image/webp'],
])('a %s thumbnail is recognized by its bytes, not by its content type', async (_, bytes, type) => {
	const { ok } = await put(bytes, { 'content-type': 'text/html' })
	expect(ok.data.hasCustomThumbnail).toBe(true)
	const seen = (await world.ask(getAsset, { params: params() }, ada)).ok.data
	expect(seen).toMatchObject(ok.data)
	expect((await world.ask(listAssets, { query: {} }, ada)).ok.data[0]).toMatchObject(ok.data)
	const picture = await fetchPicture(ok.data.thumbnailUrl)
	expect(picture.headers.get('content-type')).toBe(type)
	expect(picture.headers.get('cache-control')).toContain('immutable')
	expect(new Uint8Array(await picture.arrayBuffer())).toEqual(bytes)
	const unchanged = await fetchPicture(ok.data.thumbnailUrl, {
		'if-none-match': picture.headers.get('etag') ?? '',
	})
	expect(unchanged.status).toBe(304)
})

test('an unsupported, damaged or too large thumbnail gets 400, never 415 or 422', async () => {
	for (const bytes of [
		'GIF89a…',
		'<svg xmlns="http://www.w3.org/2000/svg"/>',
		'RIFF\x10\0\0\0AVI ',
		'BM',
		'x',
	]) {
		const answer = await put(latin(bytes), { 'content-type': 'image/png' })
		expect([answer.status, answer.code], bytes).toEqual([400, 'validation'])
	}
	for (const bytes of [makePng(100_000, 100_000), makeJpg(65_535, 65_535), makeWebp(16_000_000, 9, 'VP8X')])
		expect(await put(bytes)).toMatchObject({ status: 400, error: expect.stringContaining('pixels') })
	for (const bytes of [jpg, png, webp]) expect((await put(bytes.slice(0, -9))).code).toBe('validation')
	expect((await put('')).status).toBe(400)
	expect(await stored()).toEqual([])
})

test('a thumbnail larger than 10 MiB is rejected', { tags: 'd1' }, async () => {
	const fits = new Uint8Array(10 * 1024 ** 2)
	fits.set(png)
	expect((await put(fits)).status).toBe(200)
	const large = new Uint8Array(10 * 1024 ** 2 + 1)
	large.set(png)
	for (const headers of [{}, { 'content-length': String(large.byteLength) }])
		expect((await put(large, headers)).code).toBe('too_large')
	expect(await stored()).toHaveLength(1)
})

test('a new thumbnail gets a new URL, and the old object is deleted', async () => {
	const first = (await put(png)).ok.data.thumbnailUrl
	const second = (await put(jpg)).ok.data.thumbnailUrl
	expect(second).not.toBe(first)
	expect(await stored()).toHaveLength(1)
	expect((await fetchPicture(second)).headers.get('content-type')).toBe('image/jpeg')
})

test('a reset of the thumbnail restores the video frame or the placeholder, even when repeated', async () => {
	const { playbackId } = (await world.ask(getAsset, { params: params() }, ada)).ok.data
	const frame = `media/${playbackId}/frame-1.jpg`
	await env.MEDIA.put(frame, jpg, { httpMetadata: { contentType: 'image/jpeg' } })
	await put(png)
	expect((await reset()).ok.data.hasCustomThumbnail).toBe(false)
	const placeholder = (await reset()).ok.data.thumbnailUrl
	expect((await fetchPicture(placeholder)).headers.get('content-type')).toBe('image/svg+xml')
	await world.deps((d) => d.db.all(`update assets set frame_key = '${frame}' returning 1`))
	await put(png)
	const { thumbnailUrl } = (await reset()).ok.data
	expect(thumbnailUrl).toContain('frame-1')
	expect((await fetchPicture(thumbnailUrl)).headers.get('content-type')).toBe('image/jpeg')
	expect(await stored()).toEqual([frame])
})

test('concurrent uploads of a thumbnail keep one of them', async () => {
	const answers = await Promise.all([put(png), put(jpg), put(webp), put(png)])
	expect(answers.map((a) => a.status)).toEqual([200, 200, 200, 200])
	expect(await stored()).toHaveLength(1)
	await world.ask(deleteAsset, { params: params() }, ada)
	await world.deliver()
	expect(await stored()).toEqual([])
})

test('another organization can neither set nor reset a thumbnail', async () => {
	const bo = await world.person()
	await put(png)
	expect((await put(jpg, {}, bo)).status).toBe(404)
	expect((await world.ask(resetThumbnail, { params: params() }, bo)).status).toBe(404)
	expect(await stored()).toEqual([expect.stringMatching(/\.png$/)])
})

test('the thumbnail of a cached video is served without SQL', async () => {
	assetId = (await makeReady(world, ada)).id
	const { thumbnailUrl } = (await put(png)).ok.data
	await fetchPicture(thumbnailUrl)
	const before = world.logs.length
	expect((await fetchPicture(thumbnailUrl)).status).toBe(200)
	const lines = world.logs.slice(before).filter(({ message }) => message === 'request')
	expect(lines.map(({ sql }) => sql)).toEqual([0])
})

test('a thumbnail replaced at another location is served although the old row is cached', async () => {
	const film = await makeReady(world, ada)
	assetId = film.id
	const { thumbnailUrl } = (await put(png)).ok.data
	await fetchPicture(thumbnailUrl)
	const [old = ''] = await stored()
	const key = old.replace(/\w+\.png$/, 'elsewhere.jpg')
	await env.MEDIA.put(key, jpg, { httpMetadata: { contentType: 'image/jpeg' } })
	await env.MEDIA.delete(old)
	await world.deps((d) =>
		d.db.all(`update assets set custom_thumbnail_key = '${key}' where id = '${film.id}' returning 1`),
	)
	expect((await fetchPicture(thumbnailUrl)).headers.get('content-type')).toBe('image/jpeg')
})

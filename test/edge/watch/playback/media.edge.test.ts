/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from './ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
const playlist = '#EXTM3U\n#EXT-X-VERSION:7\n'
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	await env.MEDIA.put(`media/${film.playbackId}/v1/master.m3u8`, playlist)
	await env.MEDIA.put(`media/${film.playbackId}/v1/720p/segment-1.m4s`, '0123456789')
})

const fetchMedia = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
	world.fetch(new Request(`https://edge.test/media/${path}`, { method, headers }))
const segment = (headers: Record<string, string> = {}, method = 'GET') =>
	fetchMedia(`${film.playbackId}/v1/720p/segment-1.m4s`, headers, method)
const master = (headers: Record<string, string> = {}) =>
	fetchMedia(`${film.playbackId}/v1/master.m3u8`, headers)

describe('a segment', () => {
	test('a segment is served whole with its type, immutable, to any origin', async () => {
		const answer = await segment({ origin: 'https://elsewhere.example' })
		expect([answer.status, await answer.text()]).toEqual([200, '0123456789'])
		expect(Object.fromEntries(answer.headers)).toMatchObject({
			'content-type': 'video/iso.segment',
			'cache-control': 'public, max-age=31536000, immutable',
			'accept-ranges': 'bytes',
			'access-control-allow-origin': '*',
			'content-length': '10',
		})
	})

	test.each([
		['bytes=2-4', 206, '234', 'bytes 2-4/10'],
		['bytes=7-', 206, '789', 'bytes 7-9/10'],
		['bytes=-2', 206, '89', 'bytes 8-9/10'],
		['bytes=0-99', 206, '0123456789', 'bytes 0-9/10'],
		['bytes=10-', 416, '', 'bytes */10'],
		['bytes=5-2', 200, '0123456789', null],
		['bytes=-0', 416, '', 'bytes */10'],
		// A server may ignore a request for several ranges (RFC 9110 §14.2).
		['bytes=0-1,4-5', 200, '0123456789', null],
		['pages=1-2', 200, '0123456789', null],
	])('a segment requested with the range %s returns %i', async (range, status, text, contentRange) => {
		const answer = await segment({ range })
		expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
			status,
			text,
			contentRange,
		])
	})

	test('a segment is sent whole if If-Range does not match', async () => {
		const etag = (await segment()).headers.get('etag') ?? ''
		const resume = async (ifRange: string) => {
			const answer = await segment({ range: 'bytes=5-', 'if-range': ifRange })
			return [answer.status, await answer.text()]
		}
		expect(await resume(etag)).toEqual([206, '56789'])
		for (const other of ['"another"', `W/${etag}`, new Date(world.now).toUTCString()])
			expect(await resume(other), other).toEqual([200, '0123456789'])
	})

	test('a segment returns 304 if the client has it cached', async () => {
		const etag = (await segment()).headers.get('etag') ?? ''
		const unchanged = await segment({ 'if-none-match': etag })
		expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
		expect((await segment({ 'if-none-match': '"another"' })).status).toBe(200)
		const head = await segment({}, 'HEAD')
		expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
	})

	test('a segment costs no SQL while the asset is cached', async () => {
		await segment()
		const before = world.logs.length
		await segment()
		await master()
		const lines = world.logs.slice(before).filter(({ message }) => message === 'request')
		expect(lines.map(({ sql }) => sql)).toEqual([0, 0])
	})
})

describe('a playlist', () => {
	test('a playlist is compressed for clients that accept gzip, and expires after a minute', async () => {
		const plain = await master()
		expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, playlist])
		expect(plain.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
		expect(plain.headers.get('cache-control')).toBe('public, max-age=60')
		expect(plain.headers.get('vary')).toContain('Accept-Encoding')
		const zipped = await master({ 'accept-encoding': 'br, gzip', range: 'bytes=0-2' })
		expect([zipped.status, zipped.headers.get('content-encoding')]).toEqual([200, 'gzip'])
		expect(zipped.headers.get('etag')).toBe(`W/${plain.headers.get('etag')}`)
		expect(zipped.headers.get('content-length')).toBeNull()
		const unchanged = await master({
			'accept-encoding': 'gzip',
			'if-none-match': zipped.headers.get('etag') ?? '',
		})
		expect(unchanged.status).toBe(304)
		for (const acceptEncoding of ['gzip;q=0', 'gzip; q=0.0, br', 'identity', ''])
			expect((await master({ 'accept-encoding': acceptEncoding })).headers.get('content-encoding')).toBeNull()
	})
})

test.each([
	['v1/a.m3u8', 'application/vnd.apple.mpegurl', 'public, max-age=60'],
	['v1/a.vtt', 'text/vtt; charset=utf-8', 'public, max-age=60'],
	['v1/a.srt', 'application/x-subrip; charset=utf-8', 'public, max-age=60'],
	['v1/a.json', 'application/json', 'public, max-age=60'],
	['v1/init.mp4', 'video/mp4', 'public, max-age=31536000, immutable'],
	['v1/a.m4a', 'audio/mp4', 'public, max-age=31536000, immutable'],
	['v1/a.ts', 'video/mp2t', 'public, max-age=31536000, immutable'],
	['v1/a.jpg', 'image/jpeg', 'public, max-age=31536000, immutable'],
	['v1/a.webp', 'image/webp', 'public, max-age=31536000, immutable'],
	['v1/A.PNG', 'image/png', 'public, max-age=31536000, immutable'],
])('the media file %s is served as %s', async (path, type, cacheControl) => {
	// The stored content type must be ignored.
	await env.MEDIA.put(`media/${film.playbackId}/${path}`, 'x', { httpMetadata: { contentType: 'text/html' } })
	const { headers } = await fetchMedia(`${film.playbackId}/${path}`)
	expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([type, cacheControl])
	expect(headers.get('x-content-type-options')).toBe('nosniff')
})

describe('unavailable media', () => {
	test('unavailable media return 404, even for paths that leave the folder of the asset', async () => {
		await env.MEDIA.put('media/secret.m4s', 'secret')
		await env.MEDIA.put(`media/${film.playbackId}/v1/tool.exe`, 'secret')
		for (const path of [
			`${film.playbackId}/v1/absent.m4s`,
			`${film.playbackId}/v1/tool.exe`,
			`${film.playbackId}/`,
			`${film.playbackId}`,
			`${film.playbackId}/%2e%2e/secret.m4s`,
			`${film.playbackId}/..%2fsecret.m4s`,
			`${film.playbackId}//secret.m4s`,
			`${'x'.repeat(22)}/v1/master.m3u8`,
			'secret.m4s',
			'',
		]) {
			const answer = await fetchMedia(path)
			expect([answer.status, await answer.json()], path).toEqual([404, { error: 'no such playback' }])
		}
	})

	test('media of an asset that is not ready or deleted return 404', async () => {
		await world.deps((d) =>
			d.db.all(`update assets set status = 'error' where id = '${film.id}' returning 1`),
		)
		expect((await segment()).status).toBe(404)
		await world.deps((d) =>
			d.db.all(`update assets set status = 'ready' where id = '${film.id}' returning 1`),
		)
		expect((await segment()).status).toBe(200)
		await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
		expect((await segment()).status).toBe(404)
	})

	test('writes to media return 405', async () => {
		const answer = await segment({}, 'PUT')
		expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
		const preflight = await segment(
			{ origin: 'https://x.example', 'access-control-request-method': 'GET' },
			'OPTIONS',
		)
		expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
			204,
			expect.stringContaining('Range'),
		])
	})
})

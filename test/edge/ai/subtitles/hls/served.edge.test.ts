/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }

const master = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nh264-360p.m3u8\n'
const pictures =
	'#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:6.500000,\n0.m4s\n#EXTINF:6.000000,\n1.m4s\n#EXT-X-ENDLIST\n'

beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	await env.MEDIA.put(`media/${film.playbackId}/v1/master.m3u8`, master)
	await env.MEDIA.put(`media/${film.playbackId}/v1/h264-360p.m3u8`, pictures)
})

const replace = (text: string | null, language = 'en') =>
	world.ask(
		replaceTranscript,
		{
			params: { assetId: film.id },
			body: { transcript: { language, segments: text === null ? [] : [{ start: 6, end: 8, text }] } },
		},
		ada,
	)
const manifestUrl = async (token?: string) =>
	(await world.ask(getPlayback, { params: { playbackId: film.playbackId }, query: { token } })).ok.data
		.manifestUrl
const request = (url: string | URL, headers: Record<string, string> = {}, method = 'GET') =>
	world.fetch(new Request(url, { headers, method }))
const read = async (url: string | URL) => {
	const response = await request(url)
	return response.status === 200 ? response.text() : response.status
}
/** Follows the URIs of the playlists to the playlist of subtitles. */
async function listOf(manifest: string): Promise<URL | null> {
	const text = await read(manifest)
	const uri = /TYPE=SUBTITLES.*URI="([^"]+)"/.exec(String(text))?.[1]
	return uri === undefined ? null : new URL(uri, manifest)
}

describe('the subtitles of a video that is ready', () => {
	test('subtitles join the master playlist with the transcript, and leave with it', async () => {
		const manifest = await manifestUrl()
		expect(await read(manifest)).toBe(master)
		await replace('Hello there.', 'de')
		expect(await read(manifest)).toBe(
			'#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog",URI="subtitles/de/h264-360p.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES="subtitles"\nh264-360p.m3u8\n',
		)
		await replace(null)
		expect(await read(manifest)).toBe(master)
	})

	test('subtitles have a playlist with the durations of the video segments, and segments repeat cues', async () => {
		await replace('Hello <there>.')
		const list = (await listOf(await manifestUrl())) as URL
		expect(await read(list)).toBe(
			'#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.500000,\nh264-360p/0.vtt\n#EXTINF:6.000000,\nh264-360p/1.vtt\n#EXT-X-ENDLIST\n',
		)
		const segment =
			'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n\n00:00:06.000 --> 00:00:08.000\nHello &lt;there&gt;.\n'
		expect(await read(new URL('h264-360p/0.vtt', list))).toBe(segment)
		expect(await read(new URL('h264-360p/1.vtt', list))).toBe(segment)
		expect(await read(new URL('h264-360p/2.vtt', list))).toBe(404)
	})

	test('subtitles are read from storage once for all segments of a playback', async () => {
		await replace('Hello.')
		const list = (await listOf(await manifestUrl())) as URL
		expect(await read(new URL('h264-360p/0.vtt', list))).toContain('Hello.')
		const { objects } = await env.MEDIA.list({ prefix: `media/${film.playbackId}/subtitles/` })
		await env.MEDIA.delete(objects.map(({ key }) => key))
		expect(await read(new URL('h264-360p/1.vtt', list))).toContain('Hello.')
	})

	test('subtitles stay reachable for a player that loaded the playlists before an edit', async () => {
		await replace('Helo.')
		const list = (await listOf(await manifestUrl())) as URL
		await replace('Hello.')
		expect(await read(new URL('h264-360p/0.vtt', list))).toContain('Hello.')
		await replace(null)
		expect(await read(list)).toBe(404)
		expect(await read(new URL('h264-360p/0.vtt', list))).toBe(404)
	})

	test('subtitles have the language `und` if the transcript has none', async () => {
		await world.ask(
			replaceTranscript,
			{
				params: { assetId: film.id },
				body: { transcript: { segments: [{ start: 0, end: 1, text: 'Hm.' }] } },
			},
			ada,
		)
		expect(await read(await manifestUrl())).toContain('NAME="Subtitles",LANGUAGE="und"')
		expect(await read((await listOf(await manifestUrl())) as URL)).toContain('#EXTINF')
	})

	test('subtitles belong to a master playlist of another version, too', async () => {
		await env.MEDIA.put(`media/${film.playbackId}/v1/master-7.m3u8`, master)
		await replace('Hello.')
		const url = (await manifestUrl()).replace('master.m3u8', 'master-7.m3u8')
		expect(await read(url)).toContain('TYPE=SUBTITLES')
	})

	test('subtitles return 404 for another language or an unknown rendition', async () => {
		await replace('Hello.')
		const list = String(await listOf(await manifestUrl()))
		for (const [from, to] of [
			['/en/', '/fr/'],
			['360p', '720p'],
			['/v1/', '/v2/'],
			['360p', '360p/x'],
		] as const)
			expect(await read(list.replace(from, to)), to).toBe(404)
	})

	test('subtitles of a signed video need the token that their URLs contain', async () => {
		await replace('Hello.')
		const params = { assetId: film.id }
		await world.ask(updateAsset, { params, body: { visibility: 'signed' } }, ada)
		const { token } = (await world.ask(createPlaybackToken, { params, body: {} }, ada)).ok.data
		const list = (await listOf(await manifestUrl(token))) as URL
		expect(list.pathname).toContain('/~')
		const response = await request(new URL('h264-360p/0.vtt', list))
		expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, max-age=60'])
		expect(await read(String(list).replace(/\/~[^/]+/, ''))).toBe(403)
	})
})

describe('composed subtitle files', () => {
	test('a composed subtitle file has a type and an etag, and is compressed and cached like other texts', async () => {
		await replace('Hello.')
		const list = (await listOf(await manifestUrl())) as URL
		const segment = new URL('h264-360p/0.vtt', list)
		const plain = await request(segment, { 'accept-encoding': 'identity' })
		expect(Object.fromEntries(plain.headers)).toMatchObject({
			'content-type': 'text/vtt; charset=utf-8',
			'cache-control': 'public, max-age=60',
			'access-control-allow-origin': '*',
			'content-length': String((await plain.text()).length),
			vary: 'Accept-Encoding',
		})
		const etag = plain.headers.get('etag') ?? ''
		const unchanged = await request(segment, { 'if-none-match': etag })
		expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
		expect((await request(segment, { 'if-match': '"other"' })).status).toBe(412)
		const head = await request(segment, { 'accept-encoding': 'identity' }, 'HEAD')
		expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, ''])
		const gzipped = await request(segment, { 'accept-encoding': 'gzip' })
		expect(gzipped.headers.get('content-encoding')).toBe('gzip')
		await gzipped.body?.cancel()
		await replace('Hello again.')
		expect((await request(segment, { 'if-none-match': etag })).status).toBe(200)
		expect((await request(list)).headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
	})
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { buildPlayer } from '../../../../scripts/lib/player-build.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

/** About what a CDN uses for pages that it compresses while it sends them. */
const BROTLI_QUALITY = 5
const PLACEHOLDER = '1QcSHQRnh493V4dIh4eXh1h4kJUI'
const SEGMENT_SEC = 4

const kBOfGzip = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length / 1_000
const kBOfBrotli = (text: string) =>
	brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }).length / 1_000

describe('the scripts of the player', () => {
	let folder: string
	let engine: string
	let reporting: string
	let scripts: Record<'embed' | 'watch', string>
	let audioLook: string
	let styles: Record<'embed' | 'watch' | 'audio', string>
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'playhouse-sizes-'))
		await buildPlayer(folder)
		;({ scripts, styles } = JSON.parse(await readFile(join(folder, 'build.json'), 'utf8')))
		const text = await readFile(join(folder, scripts.embed), 'utf8')
		const loadedLater = (name: string) =>
			new RegExp(`import\\("\\./(${name}-[A-Z0-9]{8}\\.js)"\\)`).exec(text)?.[1] ?? ''
		engine = loadedLater('engine')
		reporting = loadedLater('report-playback')
		audioLook = loadedLater('audio-look')
	})
	afterAll(() => rm(folder, { recursive: true, force: true }))

	test.each([
		['of the embedded player', () => scripts.embed, 16.5],
		['of the watch page', () => scripts.watch, 22.5],
		['of the engine', () => engine, 150],
		['of the reports', () => reporting, 4],
	])('the scripts %s have at most their budget with gzip', async (_, name, budget) => {
		expect(kBOfGzip(await readFile(join(folder, name())))).toBeLessThanOrEqual(budget)
	})

	// The watch page may add 8 kB to the size of the player.
	test.each([
		['embed', 20.5],
		['watch', 28.5],
	] as const)(
		'the script and the styles of the %s page have together at most %d kB with gzip',
		async (page, budget) => {
			const script = await readFile(join(folder, scripts[page]))
			expect(kBOfGzip(script) + kBOfGzip(Buffer.from(styles[page]))).toBeLessThanOrEqual(budget)
		},
	)

	test('the script and the styles that audio adds have together at most 3.5 kB with gzip', async () => {
		const script = await readFile(join(folder, audioLook))
		expect(kBOfGzip(script) + kBOfGzip(Buffer.from(styles.audio))).toBeLessThanOrEqual(3.5)
	})

	test('the scripts of the player contain the package versions that hls.js is developed with', async () => {
		const packageOf = async (name: string) => {
			let path = dirname(fileURLToPath(import.meta.resolve(name)))
			for (;;) {
				const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => '{}')
				const parsed = JSON.parse(text)
				if (parsed.name === name) return parsed
				path = dirname(path)
			}
		}
		const { devDependencies } = await packageOf('hls.js')
		for (const name of ['eventemitter3', 'url-toolkit', '@svta/cml-id3', '@svta/cml-utils'])
			expect((await packageOf(name)).version, name).toBe(devDependencies[name])
	})
})

describe('the embed page', () => {
	let worker: RunningWorker
	beforeAll(async () => {
		await provideAssets()
		worker = await startWorker()
	})
	afterAll(() => worker?.dispose())

	test.each([
		['10 minutes', 600],
		['2 hours', 7_200],
		['12 hours', 43_200],
	])(
		'the embed page of a video of %s has at most 20 kB with its styles and playlists',
		async (_, seconds) => {
			const html = await openEmbed(worker, seconds)
			expect(html).toContain('<style')
			expect(html).not.toContain('rel="stylesheet"')
			expect(html.includes('a0/1.m4s')).toBe(seconds <= 7_200)
			for (const name of ['h264-360p', 'h264-240p'])
				expect(html.includes(`${name}/1.m4s`), name).toBe(seconds <= 7_200)
			expect(kBOfBrotli(html)).toBeLessThanOrEqual(20)
		},
	)
})

/** Publishes a video whose playlists are as long as those of the product, and returns its embed page. */
async function openEmbed({ url, miniflare }: RunningWorker, seconds: number): Promise<string> {
	const { call } = createClient({ baseUrl: url, fetch })
	const person = { email: `a${seconds}@example.org`, password: 'correct horse battery', name: 'Ada' }
	const { token } = (await call(signup, { body: person })).data
	const title = 'A film with a title of some length, as films often have'
	const { id, playbackId } = (await call(createAsset, { body: { title } }, { token })).data
	const folder = `media/${playbackId}/job`
	const bucket = await miniflare.getR2Bucket('MEDIA')
	for (const [name, text] of Object.entries(playlistsOf(seconds))) await bucket.put(`${folder}/${name}`, text)
	await (await miniflare.getD1Database('DB'))
		.prepare(
			"update assets set status = 'ready', manifest_key = ?, storyboard_key = ?, duration_sec = ?, width = 1920, height = 1080, placeholder = ? where id = ?",
		)
		.bind(`${folder}/master.m3u8`, `${folder}/storyboard.vtt`, seconds, PLACEHOLDER, id)
		.run()
	return (await fetch(`${url}/embed/${playbackId}?title=${encodeURIComponent(title)}&color=ff0000`)).text()
}

function playlistsOf(seconds: number): Record<string, string> {
	const rungs = [1_080, 720, 480, 360, 240]
	const variants = rungs.map(
		(lines) =>
			`#EXT-X-STREAM-INF:BANDWIDTH=${lines * 2_600},AVERAGE-BANDWIDTH=${lines * 2_200},CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=${(lines * 16) / 9}x${lines},FRAME-RATE=30.000,AUDIO="audio"\nh264-${lines}p.m3u8\n`,
	)
	const audio =
		'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Track 1",LANGUAGE="und",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a0.m3u8"\n'
	const video = mediaPlaylist('h264-360p', seconds, Math.min(60, Math.max(16, seconds / 64)))
	return {
		'master.m3u8': `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n${audio}${variants.join('')}`,
		'a0.m3u8': mediaPlaylist('a0', seconds, seconds),
		'h264-360p.m3u8': video,
		// One task encodes both.
		'h264-240p.m3u8': video.replaceAll('/h264-360p/', '/h264-240p/'),
	}
}

/** Each chunk has a folder, whose name begins with the id of its task. */
function mediaPlaylist(name: string, seconds: number, chunkSec: number): string {
	const chunks = Array.from(
		{ length: Math.ceil(seconds / chunkSec) },
		() => `tsk_01m84ff9hc${randomText()}-1`,
	)
	const segments = Array.from({ length: seconds / SEGMENT_SEC }, (_, at) => {
		const chunk = chunks[Math.floor((at * SEGMENT_SEC) / chunkSec)]
		return `#EXTINF:4.000000,\n${chunk}/${name}/${at}.m4s\n`
	})
	const head = `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MAP:URI="${chunks[0]}/${name}/init.mp4"\n`
	return `${head}${segments.join('')}#EXT-X-ENDLIST\n`
}

/** The random part of an id: 16 characters of Crockford's base 32. */
const randomText = () =>
	Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
		'0123456789abcdefghjkmnpqrstvwxyz'.charAt(byte % 32),
	).join('')

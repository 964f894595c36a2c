import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { validatePresentation } from '../../../../scripts/operate/hls-validator/validate.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { Served } from '../../../scripts/operate/hls-validator/served.ts'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import type { Files } from '../../../support/shared/made-presentation.ts'
import { encodeOnce } from '../../../support/shared/media-cache.ts'
import { needs } from '../../../support/shared/needs.ts'
import { presentByDaemon } from '../../video/transcoding/presentation/daemon-presentation.node.ts'

const ffmpeg = (await findPrograms(process.env).catch(() => undefined))?.ffmpeg

const SECONDS = 10
/** Low, as encoding HEVC and AV1 takes long. */
const RATE = 10
/** Unevenly spaced: a copy is cut at its keyframes, and all other rungs at the same times. */
const KEYFRAMES = '0,3.7,5.2,7.9'

const html = `<!doctype html><script src="/hls.js"></script><video muted></video><script>
	/* codec: pins the level with this codec instead of letting hls.js choose */
	const play = (url, codec) => new Promise((resolve) => {
		const video = document.querySelector('video')
		const hls = new Hls()
		const seen = new Set()
		const end = (how) => resolve({ how, at: video.currentTime, codecs: [...seen], levels: hls.levels.map(({ videoCodec }) => videoCodec),
			frames: video.getVideoPlaybackQuality().totalVideoFrames })
		hls.on(Hls.Events.ERROR, (_, { fatal, details }) => fatal && end(details))
		hls.on(Hls.Events.MANIFEST_PARSED, () => { if (codec) hls.currentLevel = hls.levels.findIndex(({ videoCodec }) => videoCodec.startsWith(codec)) })
		hls.on(Hls.Events.FRAG_CHANGED, (_, { frag }) => seen.add(hls.levels[frag.level].videoCodec))
		video.onended = () => end('ended')
		hls.loadSource(url)
		hls.attachMedia(video)
		video.play()
	})
</script>`

const types: Record<string, string> = {
	m3u8: 'application/vnd.apple.mpegurl',
	html: 'text/html',
	js: 'text/javascript',
}

describe('a presentation with a copied rung, HEVC and AV1', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let directory: string
	let files: Files
	let site: Server
	let browser: Browser

	beforeAll(async () => {
		directory = await mkdtemp(join(tmpdir(), 'playhouse-codecs-'))
		const source = join(directory, 'source.mp4')
		const args = [
			...['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=${RATE}:duration=${SECONDS}`],
			...['-f', 'lavfi', '-i', `sine=r=48000:d=${SECONDS}`, '-c:a', 'aac', '-c:v', 'libx264'],
			...['-preset', 'veryfast', '-crf', '30', '-pix_fmt', 'yuv420p', '-g', '999', '-sc_threshold', '0'],
			...['-force_key_frames', KEYFRAMES],
		]
		await encodeOnce(ffmpeg as string, args, source)
		files = await presentByDaemon(source, directory)
		files.set('', Buffer.from(html))
		files.set('hls.js', await readFile(new URL(import.meta.resolve('hls.js/dist/hls.min.js'))))
		site = createServer(({ url }, response) => {
			const name = (url ?? '/').slice(1)
			const body = files.get(name)
			if (body) response.setHeader('content-type', types[name.split('.').at(-1) || 'html'] ?? 'video/mp4')
			response.writeHead(body ? 200 : 404).end(body)
		}).listen(0, '127.0.0.1')
		await once(site, 'listening')
		browser = await openBrowser()
	})
	afterAll(async () => {
		await browser?.close()
		site?.close()
		if (directory) await rm(directory, { recursive: true })
	})

	async function play(codec: string | null) {
		const page = await browser.newPage()
		await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
		const seen = await page.evaluate(`play('/master.m3u8', ${JSON.stringify(codec)})`)
		await page.close()
		return seen as { how: string; at: number; codecs: string[]; levels: string[]; frames: number }
	}

	test('a presentation with a copied rung, HEVC and AV1 violates no MUST rule of HLS', async () => {
		const served = new Served(files)
		const { findings } = await validatePresentation(served.address, { fetch: served.fetch })
		expect(findings.filter(({ level }) => level === 'MUST')).toEqual([])
	})

	test('a presentation of several codecs plays to its end in the codec that the browser chooses', async () => {
		const { how, at, codecs, levels } = await play(null)
		expect(how).toBe('ended')
		expect(at).toBeCloseTo(SECONDS, 0)
		expect(codecs).toHaveLength(1)
		expect(levels.some((codec) => /^av01/.test(codec))).toBe(true)
	})

	test.each([
		['AV1', 'av01', /^av01\.0\.\d\dM\.08/],
		['H.264', 'avc1', /^avc1\./],
	])(
		'a presentation of several codecs plays every frame when %s is pinned',
		async (_, videoCodec, expected) => {
			const { how, at, codecs, frames } = await play(videoCodec)
			expect(how).toBe('ended')
			expect(at).toBeCloseTo(SECONDS, 0)
			expect(codecs).toEqual([expect.stringMatching(expected)])
			expect(frames).toBeGreaterThanOrEqual(SECONDS * RATE - 1)
		},
	)
})

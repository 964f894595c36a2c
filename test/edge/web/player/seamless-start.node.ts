import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { callFfmpeg } from '../../../support/shared/media-cache.ts'
import { needs } from '../../../support/shared/needs.ts'
import { randomFrom } from '../../../support/shared/random.ts'
import { FILM_FPS, type Presentation, SECONDS } from './player-media.node.ts'
import { type Film, ffmpeg, type PlayerSite, sharePlayerSite } from './player-site.node.ts'

/** Set by npm run prove -- player. */
const STARTS = Number(process.env.PLAYER_STARTS ?? 3)
const SEED = Number(process.env.PLAYER_SEED ?? 1)

const MIN_SSIM = 0.95
const VIEWPORT = { width: 800, height: 450 }
/** The controls are not compared. They remain clickable. */
const WITHOUT_CONTROLS = '#player > :not(video):not(.poster):not(canvas) { opacity: 0 !important }'

const random = randomFrom(SEED)
/** Every other start is a whole second, as in most links; segments begin there too. */
const starts = Array.from({ length: STARTS }, (_, at) => {
	const frame = Math.floor(random() * (SECONDS - 1) * FILM_FPS)
	return at % 2 === 0 ? (frame + 0.5) / FILM_FPS : 1 + Math.floor(frame / FILM_FPS)
}).map((sec) => [sec])

const frameAt = (sec: number): number => Math.floor(sec * FILM_FPS + 1e-6)

describe('the player with ?t=', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film
	let folder: string

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
		folder = await mkdtemp(join(tmpdir(), 'playhouse-frames-'))
		await writeFile(join(folder, 'film.mp4'), bestRendition(site.film))
	})
	afterAll(async () => {
		await rm(folder, { recursive: true, force: true })
	})

	const file = (name: string) => join(folder, name)

	/** Stores the frame that a video shows at a time, in the size of the page. */
	const extractFrame = (sec: number, name: string) =>
		callFfmpeg(ffmpeg as string, [
			...['-i', file('film.mp4'), '-frames:v', '1'],
			...['-vf', `select=eq(n\\,${frameAt(sec)}),scale=${VIEWPORT.width}:${VIEWPORT.height}`],
			file(name),
		])

	const ssim = async (a: string, b: string): Promise<number> => {
		const { stderr } = await promisify(execFile)(ffmpeg as string, [
			...['-hide_banner', '-nostdin', '-i', file(a), '-i', file(b)],
			...['-lavfi', '[0]format=yuv420p[a];[1]format=yuv420p[b];[a][b]ssim', '-f', 'null', '-'],
		])
		return Number(/SSIM .*All:([\d.]+)/.exec(stderr)?.[1])
	}

	test.each(starts)(
		'the player with ?t= shows the frame at %d s before the click, and continues from it',
		async (sec) => {
			await using opened = await site.open(`/embed/${film.playbackId}?t=${sec}`, { viewport: VIEWPORT })
			const { page } = opened
			await page.locator('.has-frame').waitFor()
			await page.evaluate(`{
			const styles = new CSSStyleSheet()
			styles.replaceSync(${JSON.stringify(WITHOUT_CONTROLS)})
			document.adoptedStyleSheets = [styles]
		}`)
			// The poster fades.
			await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
			await page.screenshot({ path: file('before.png') })
			expect(await playOneFrame(page)).toBeGreaterThanOrEqual(frameAt(sec) / FILM_FPS)
			await page.screenshot({ path: file('after.png') })
			await extractFrame(sec, 'source.png')
			await extractFrame(sec + 1 < SECONDS ? sec + 1 : sec - 1, 'other.png')
			expect(await ssim('before.png', 'after.png'), 'before and after the click').toBeGreaterThan(MIN_SSIM)
			expect(await ssim('before.png', 'source.png'), 'before the click and ffmpeg').toBeGreaterThan(MIN_SSIM)
			expect(await ssim('source.png', 'other.png'), 'a second apart').toBeLessThan(MIN_SSIM)
			expect(opened.problems).toEqual([])
		},
	)
})

/**
 * Clicks, and keeps the first frame that the browser shows after that in front of the video: pausing takes effect some
 * frames later. Returns the time of that frame.
 */
async function playOneFrame(page: Page): Promise<number> {
	const { promise: shown, resolve } = Promise.withResolvers<number>()
	await page.exposeBinding('reportFrame', (_, sec: number) => resolve(sec))
	await page.evaluate(`addEventListener('click', () => {
		const video = document.querySelector('video')
		video.requestVideoFrameCallback((_, { mediaTime }) => {
			const canvas = document.createElement('canvas')
			canvas.width = innerWidth
			canvas.height = innerHeight
			canvas.getContext('2d').drawImage(video, 0, 0, innerWidth, innerHeight)
			video.pause()
			video.after(canvas)
			canvas.style.setProperty('position', 'absolute')
			canvas.style.setProperty('inset', '0')
			reportFrame(mediaTime)
		})
	}, { capture: true, once: true })`)
	await page.click('.start')
	return shown
}

/** Joins the segments of the largest rendition into a file. */
function bestRendition(film: Presentation): Buffer {
	const text = (name: string) => Buffer.from(film.get(name) ?? '').toString()
	const [, playlist = ''] =
		/^#EXT-X-STREAM-INF:.*RESOLUTION=640x360.*\n(.+)$/m.exec(text('master.m3u8')) ?? []
	const [, init = ''] = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(text(playlist)) ?? []
	const segments = text(playlist)
		.split('\n')
		.filter((line) => line.endsWith('.m4s'))
	return Buffer.concat([init, ...segments].map((name) => film.get(name) ?? new Uint8Array()))
}

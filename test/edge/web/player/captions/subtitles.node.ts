import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { loadPresentation } from '../../../../../scripts/operate/hls-validator/load.ts'
import { validatePresentation } from '../../../../../scripts/operate/hls-validator/validate.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { STRIP_BITS } from '../../../../support/shared/frame-numbers.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { listChoices } from '../controls/settings.node.ts'
import { FPS, makeNumberedFilm } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

const TEXT = 'These words are shown in two segments.'
/** The frames during which the text is spoken. The first segment ends between them. */
const [FROM, TO] = [50, 150]
const MAP = 'X-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000'
/** The last frame without the text and the first with it, and the same at its end: as they should be, and as wrong maps make them. */
const probes = [0, -1 * FPS, 9 * FPS].flatMap((shift) => [
	...[FROM - 1, FROM].map((frame) => frame + shift),
	...[TO - 1, TO].map((frame) => frame + shift),
])
const framesBetween = (from: number, to: number) =>
	probes.filter((frame) => frame >= from && frame < to).toSorted((a, b) => a - b)

describe('subtitles', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film
	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Numbered', await makeNumberedFilm(ffmpeg ?? ''))
		const segments = [{ start: FROM / FPS, end: TO / FPS, text: TEXT }]
		await site.call(
			replaceTranscript,
			{ params: { assetId: film.id }, body: { transcript: { language: 'en', segments } } },
			{ token: site.token },
		)
	})

	test('subtitles are in the playback record after a minute at the latest', async () => {
		const record = () => site.call(getPlayback, { params: { playbackId: film.playbackId }, query: {} })
		// A request that began before may have kept the row without subtitles in the cache.
		await expect.poll(async () => (await record()).data.ai.subtitles.length, { timeout: 90_000 }).toBe(1)
	})

	/** Plays the video with this change of each segment of subtitles, and returns the probed frames with the text. */
	async function measure(change: (segment: string) => string, expected: readonly number[]) {
		await using opened = await site.open(`/embed/${film.playbackId}?cc=en`, {
			prepare: (page) =>
				page.route(/\/subtitles\/.*\.vtt$/, async (route) => {
					const response = await route.fetch()
					await route.fulfill({ response, body: change(await response.text()) })
				}),
		})
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		// Cues of later segments arrive while the video is probed.
		await expect.poll(() => framesWithText(page, expected), { timeout: 120_000 }).toEqual(expected)
		expect(opened.problems).toEqual([])
		return expected
	}

	test('subtitles are shown exactly during their frames', async () => {
		expect(framesBetween(FROM, TO)).toEqual(expect.arrayContaining([FROM, TO - 1]))
		await measure((segment) => segment, framesBetween(FROM, TO))
	})

	test.each([
		['no map', '', -1],
		['a map to the time 0', 'X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000', -1],
		['the map of MPEG-TS muxers', 'X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000', 9],
	])('subtitles would be shown during other frames with %s', async (_, map, shiftSec) => {
		const shifted = framesBetween(FROM + shiftSec * FPS, TO + shiftSec * FPS)
		expect(shifted).not.toEqual(framesBetween(FROM, TO))
		await measure((segment) => {
			expect(segment).toContain(MAP)
			return segment.replace(map === '' ? `${MAP}\n` : MAP, map)
		}, shifted)
	})

	test('subtitles are a valid part of the presentation, and are in the menu once', async () => {
		const { manifestUrl } = (
			await site.call(getPlayback, { params: { playbackId: film.playbackId }, query: {} })
		).data
		const { streams } = await loadPresentation(manifestUrl)
		expect(streams.filter(({ role }) => role === 'subtitles')).toMatchObject([
			{ name: 'subtitles/en/h264-180p.m3u8' },
		])
		const { findings } = await validatePresentation(manifestUrl)
		expect(findings.filter(({ rule }) => rule === 16 || rule === 15 || rule === 0)).toEqual([])
		await using opened = await site.open(`/embed/${film.playbackId}`)
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		expect(await listChoices(opened.page, 'Captions')).toEqual(['Off', 'English'])
	})
})

/**
 * Seeks to each probe, reads which frame is shown, and returns those over which the text is. A browser announces a change of
 * cues some time after a seek, so the text has a second of pictures to become what is expected.
 */
const framesWithText = async (page: Page, expected: readonly number[]): Promise<number[]> => {
	const seen = await page.evaluate<{ frame: number; text: string }[]>(`(async () => {
		const video = document.querySelector('video.video')
		const nextPicture = () => new Promise((resolve) => requestAnimationFrame(resolve))
		const text = () => document.querySelector('.captions').textContent
		const expected = new Set(${JSON.stringify(expected)})
		const canvas = Object.assign(document.createElement('canvas'), { width: ${STRIP_BITS}, height: 1 })
		const context = canvas.getContext('2d', { willReadFrequently: true })
		const seen = []
		for (const frame of ${JSON.stringify(probes)}) {
			await new Promise((resolve) => {
				video.addEventListener('seeked', resolve, { once: true })
				video.currentTime = (frame + 0.5) / ${FPS}
			})
			await nextPicture()
			const isSettled = () => (text() === ${JSON.stringify(TEXT)}) === expected.has(frame)
			for (let waited = 0; waited < 60 && !isSettled(); waited++) await nextPicture()
			// Each bit is one pixel of the middle of the strip.
			context.drawImage(video, 0, video.videoHeight / 16, video.videoWidth, 1, 0, 0, ${STRIP_BITS}, 1)
			const { data } = context.getImageData(0, 0, ${STRIP_BITS}, 1)
			const bits = Array.from({ length: ${STRIP_BITS} }, (_, bit) => (data[bit * 4] > 127 ? 2 ** bit : 0))
			seen.push({
				frame: bits.reduce((sum, bit) => sum + bit, 0),
				text: text(),
			})
		}
		return seen
	})()`)
	expect(seen.map(({ frame }) => frame)).toEqual(probes)
	return seen
		.filter(({ text }) => text === TEXT)
		.map(({ frame }) => frame)
		.toSorted((a, b) => a - b)
}

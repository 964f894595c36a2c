import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { type Firefox, openFirefox } from './firefox.node.ts'
import { SECONDS, withCaptions } from './player-media.node.ts'
import { type Film, ffmpeg, openPlayerSite, type PlayerSite } from './player-site.node.ts'

const program = process.env.FIREFOX_PATH
const screenshot = process.env.FIREFOX_SCREENSHOT

// Run by npm run prove -- firefox, as machines that test changes have no Firefox.
describe('the player in Firefox', needs({ ffmpeg, Chromium: chromiumPath, FIREFOX_PATH: program }), () => {
	let site: PlayerSite
	let film: Film
	let firefox: Firefox

	beforeAll(async () => {
		site = await openPlayerSite()
		film = await site.publish('Film', withCaptions(site.film))
		firefox = await openFirefox(program as string)
		console.log(`Firefox ${firefox.version}`)
	})
	afterAll(async () => {
		await firefox?.[Symbol.asyncDispose]()
		await site?.[Symbol.asyncDispose]()
	})

	const read = <T>(expression: string) =>
		firefox.evaluate<T>(`((video) => (${expression}))(document.querySelector('video.video'))`)
	const until = (expression: string) =>
		expect.poll(() => read(`Boolean(${expression})`), { timeout: 60_000, message: expression }).toBe(true)

	test('the player in Firefox plays, seeks, shows captions and changes the quality, without an error', async () => {
		await firefox.open(`${site.url}/embed/${film.playbackId}?cc=en&title=Film`)
		await until('document.querySelector(".controls")')
		await firefox.click('.start')
		await until('video.readyState >= 2 && video.currentTime > 1 && !video.paused')
		const playlists = firefox.requests.filter((url) => /\/(master|h264-\w+)\.m3u8$/.test(url))
		expect(playlists).toEqual([])
		console.log(
			`plays ${await read('video.videoWidth + " × " + video.videoHeight')}, at ${await read('video.currentTime')} s`,
		)
		await until('document.querySelector(".captions").textContent === "First caption & more"')
		await firefox.press('k')
		await until('video.paused')
		await firefox.press('5')
		await until(`video.currentTime === ${SECONDS / 2} && !video.seeking`)
		await firefox.press('k')
		await until(`!video.paused && video.currentTime > ${SECONDS / 2 + 1}`)
		await firefox.click('[aria-label="Settings"]')
		for (const label of ['Quality', '240p'])
			await read(
				`[...document.querySelectorAll('.panel .entry')].find(({ textContent }) => textContent.startsWith('${label}')).click()`,
			)
		await until('video.videoHeight === 240')
		if (screenshot) await writeFile(screenshot, await firefox.screenshot())
		await until('video.ended')
		console.log(`reached the end at ${await read('video.currentTime')} s`)
		expect(firefox.problems).toEqual([])
		expect(firefox.requests.filter((url) => !url.startsWith(site.url) && !/^(blob|data):/.test(url))).toEqual(
			[],
		)
	})

	test('the player in Firefox plays without sound by itself, and retries an unavailable video', async () => {
		await firefox.open(`${site.url}/embed/${film.playbackId}?autoplay&muted`)
		await until('video.currentTime > 0.5')
		expect(firefox.problems).toEqual([])
		await firefox.open(`${site.url}/embed/${'x'.repeat(22)}`)
		await until('document.querySelector(".again").textContent.startsWith("Trying again")')
	})
})

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { readChoice } from './controls/settings.node.ts'
import { FILM_FPS, SECONDS, withCaptions } from './player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type OpenPage,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from './player-site.node.ts'

/**
 * Lists what shows a picture in the middle of the player, the uppermost first. Elements that let clicks through count
 * too, and those that are transparent do not.
 */
const picturesAtCenter = `(() => {
	for (const each of document.querySelectorAll('video, .poster')) each.style.setProperty('pointer-events', 'auto')
	const { x, y, width, height } = document.querySelector('.player').getBoundingClientRect()
	return document
		.elementsFromPoint(x + width / 2, y + height / 2)
		.filter((each) => each.matches('video, .poster') && getComputedStyle(each).opacity !== '0')
		.map(({ className }) => className)
})()`

describe('the controls of the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
	})

	type Options = Parameters<PlayerSite['open']>[1] & { video?: Film }
	async function openPlaying(query = '', { video = film, ...options }: Options = {}): Promise<OpenPage> {
		const opened = await site.open(`/embed/${video.playbackId}${query}`, options)
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		return opened
	}
	const time = (opened: OpenPage) => readVideo<number>(opened.page, 'video.currentTime')

	test('the player reacts to every key of its list', async () => {
		const captioned = await site.publish('Film with captions', withCaptions(site.film))
		await using opened = await openPlaying('', { video: captioned })
		const { page } = opened
		const press = (key: string) => page.keyboard.press(key)

		await press('k')
		await untilVideo(page, 'video.paused')
		await press('Space')
		await untilVideo(page, '!video.paused')
		await press('k')
		await press('0')
		await untilVideo(page, 'video.currentTime === 0')
		await press('l')
		await untilVideo(page, 'video.currentTime === 10')
		await press('ArrowLeft')
		await untilVideo(page, 'video.currentTime === 5')
		await press('ArrowRight')
		await press('j')
		await untilVideo(page, 'video.currentTime === 0')
		await press('5')
		await untilVideo(page, `video.currentTime === ${SECONDS / 2}`)
		await press('.')
		// The middle of a frame, at the frame rate of the playlist.
		const frameSec = (frame: number) => SECONDS / 2 + (frame + 0.5) / FILM_FPS
		await untilVideo(page, `Math.abs(video.currentTime - ${frameSec(1)}) < 0.001`)
		await press('.')
		await untilVideo(page, `Math.abs(video.currentTime - ${frameSec(2)}) < 0.001`)
		await press(',')
		await untilVideo(page, `Math.abs(video.currentTime - ${frameSec(1)}) < 0.001`)
		await press('ArrowDown')
		await untilVideo(page, 'video.volume === 0.95')
		await press('ArrowUp')
		await untilVideo(page, 'video.volume === 1')
		await press('m')
		await untilVideo(page, 'video.muted')
		await press('Shift+>')
		await untilVideo(page, 'video.playbackRate === 1.25')
		await press('Shift+<')
		await untilVideo(page, 'video.playbackRate === 1')
		await press('f')
		await untilVideo(page, 'document.fullscreenElement?.id === "player"')
		await press('f')
		await untilVideo(page, 'document.fullscreenElement === null')
		await press('c')
		await expect.poll(() => page.getByRole('status').textContent()).toBe('Captions on')
		await press('c')
		await expect.poll(() => page.getByRole('status').textContent()).toBe('Captions off')
		await press('p')
		await untilVideo(page, 'document.pictureInPictureElement === video')
		await press('i')
		await untilVideo(page, 'document.pictureInPictureElement === null')
		await press('Shift+?')
		const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
		await dialog.waitFor()
		expect(await dialog.locator('dt').count()).toBe(13)
		expect(await page.evaluate('document.querySelector("dialog").scrollTop')).toBe(0)
		// The keys belong to the dialog while it is open.
		const before = await readVideo(page, '[video.muted, video.volume, video.playbackRate]')
		for (const key of ['m', 'ArrowDown', 'Shift+>']) await press(key)
		expect(await readVideo(page, '[video.muted, video.volume, video.playbackRate]')).toEqual(before)
		await press('Escape')
		await dialog.waitFor({ state: 'hidden' })
		expect(opened.problems).toEqual([])
	})

	test('the player reads a shortcut by its letter, or by the key position on a non-Latin keyboard', async () => {
		await using opened = await openPlaying()
		const presses = [
			{ layout: 'AZERTY', key: 'm', code: 'Semicolon', mutes: true },
			{ layout: 'AZERTY', key: ',', code: 'KeyM', mutes: false },
			{ layout: 'Dvorak', key: 'M', code: 'KeyM', mutes: true },
			{ layout: 'Workman', key: 'l', code: 'KeyM', mutes: false },
			{ layout: 'Russian', key: 'ь', code: 'KeyM', mutes: true },
			{ layout: 'Russian', key: 'т', code: 'KeyN', mutes: false },
			{ layout: 'Greek', key: 'μ', code: 'KeyM', mutes: true },
		]
		for (const { layout, key, code, mutes } of presses) {
			const before = await readVideo(opened.page, 'video.muted')
			await opened.page.evaluate(
				`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', code: '${code}', bubbles: true }))`,
			)
			const after = await readVideo(opened.page, 'video.muted')
			expect([layout, key, after !== before]).toEqual([layout, key, mutes])
		}
	})

	test('the player keeps the volume and the speed that are chosen while media begins to load', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			prepare: (page) =>
				page.addInitScript(`
					const { createObjectURL } = URL
					URL.createObjectURL = (source) => {
						const slider = document.querySelector('.volume-input')
						slider.value = '30'
						slider.dispatchEvent(new Event('input'))
						document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '>', bubbles: true }))
						return createObjectURL(source)
					}
				`),
		})
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		expect(await readVideo(page, '[video.volume, video.playbackRate]')).toEqual([0.3, 1.25])
		expect(await page.locator('.volume-input').getAttribute('aria-valuetext')).toBe('30 %')
		expect(await readChoice(page, 'Speed')).toBe('1.25 ×')
	})

	test('the player leaves the arrow keys to the slider of the volume', async () => {
		await using opened = await openPlaying()
		const { page } = opened
		await page.keyboard.press('k')
		await page.keyboard.press('5')
		await page.getByRole('slider', { name: 'Volume' }).focus()
		await page.keyboard.press('ArrowLeft')
		await untilVideo(page, 'video.volume === 0.95')
		await page.keyboard.press('ArrowUp')
		await untilVideo(page, 'video.volume === 1')
		expect(await time(opened)).toBe(SECONDS / 2)
		await page.keyboard.press('m')
		await untilVideo(page, 'video.muted')
	})

	test('the player ignores shortcuts with keys=0, and handles the space bar on a focused button once', async () => {
		await using opened = await openPlaying('?keys=0')
		await opened.page.evaluate('document.activeElement.blur()')
		await opened.page.keyboard.press('k')
		await opened.page.keyboard.press('l')
		expect(await readVideo(opened.page, 'video.paused')).toBe(false)

		await using other = await openPlaying()
		await other.page.getByRole('button', { name: 'Pause' }).focus()
		await other.page.keyboard.press('Space')
		await untilVideo(other.page, 'video.paused')
	})

	test('the player is usable by keyboard alone, in the order of the screen', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		await page.locator('.controls').waitFor({ state: 'attached' })
		await page.keyboard.press('Tab')
		await page.keyboard.press('Enter')
		await untilVideo(page, hasFrame)
		const names: string[] = []
		for (let step = 0; step < 8; step++) {
			await page.keyboard.press('Tab')
			names.push(
				await page.evaluate<string>(
					'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName',
				),
			)
		}
		expect(names.slice(0, 4)).toEqual(['Position', 'Pause', 'Mute', 'Volume'])
		expect(names).toContain('Settings')
		expect(names).toContain('Full screen')
	})

	test('the player describes the position in words for screen readers', async () => {
		await using opened = await openPlaying('?t=5')
		await opened.page.keyboard.press('k')
		await opened.page.keyboard.press('5')
		const slider = opened.page.getByRole('slider', { name: 'Position' })
		await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('8 seconds of 16 seconds')
	})

	test('the player shows a thumbnail and a time above the time line, and seeks on a click', async () => {
		await using opened = await openPlaying()
		const { page } = opened
		const box = await page.locator('.seek').boundingBox()
		if (!box) throw new Error('there is no time line')
		const [x, y] = [box.x + box.width * 0.75, box.y + box.height / 2]
		await page.mouse.move(x, y)
		await expect.poll(() => page.locator('.preview-time').textContent()).toBe('0:12')
		await expect
			.poll(() => page.evaluate('document.querySelector(".preview-image").style.backgroundImage'))
			.toMatch(/^url\(".*\.jpg"\)$/)
		await page.mouse.click(x, y)
		await untilVideo(page, 'video.currentTime > 11.5 && video.currentTime < 13.5')
	})

	test('the player requests a storyboard once after a failure, and again when the pointer returns', async () => {
		let requests = 0
		await using opened = await openPlaying('', {
			prepare: (page) =>
				page.route('**/storyboard.vtt', (route) => {
					requests++
					return route.fulfill({ status: 500 })
				}),
		})
		const { page } = opened
		const box = await page.locator('.seek').boundingBox()
		if (!box) throw new Error('there is no time line')
		const y = box.y + box.height / 2
		const moveAlong = async () => {
			const failed = page.waitForResponse('**/storyboard.vtt')
			await page.mouse.move(box.x + 10, y)
			await failed
			await page.mouse.move(box.x + box.width - 10, y, { steps: 20 })
			await expect.poll(() => page.locator('.preview-time').textContent()).toMatch(/^0:1\d$/)
			await page.mouse.move(box.x, 10)
		}
		await moveAlong()
		expect(requests).toBe(1)
		await moveAlong()
		expect(requests).toBe(2)
	})

	test('the player shows frames of the video itself while the viewer drags along the time line', async () => {
		await using opened = await openPlaying()
		const { page } = opened
		const box = await page.locator('.seek').boundingBox()
		if (!box) throw new Error('there is no time line')
		const y = box.y + box.height / 2
		await page.mouse.move(box.x + 10, y)
		await page.mouse.down()
		await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 })
		await expect.poll(() => page.locator('.player').getAttribute('class')).toContain('is-scrubbing')
		expect(opened.requests.some((request) => request.headers().range !== undefined)).toBe(true)
		const pictures = () => page.evaluate<string[]>(picturesAtCenter)
		expect(await pictures()).toEqual(['scrub', 'video'])
		await page.mouse.up()
		await expect.poll(() => page.locator('.player').getAttribute('class')).not.toContain('is-scrubbing')
		expect(await pictures()).toEqual(['video'])
		expect(await time(opened)).toBeGreaterThan(SECONDS * 0.55)
	})

	test('the player handles touch: a tap shows the controls, two taps on a side skip', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, { hasTouch: true })
		const { page } = opened
		await page.tap('.start')
		await untilVideo(page, hasFrame)
		const classes = () => page.locator('.player').getAttribute('class')
		await expect.poll(classes).toContain('is-idle')
		await page.touchscreen.tap(400, 150)
		await expect.poll(classes).not.toContain('is-idle')
		expect(await readVideo(page, 'video.paused')).toBe(false)
		await page.touchscreen.tap(700, 150)
		await page.touchscreen.tap(700, 150)
		await untilVideo(page, 'video.currentTime > 9.5')
		expect(await readVideo(page, 'video.paused')).toBe(false)
	})

	test.each([
		['a click', (page: Page) => page.mouse.click(60, 60)],
		['a finger', (page: Page) => page.touchscreen.tap(60, 60)],
	])('the player begins to play with %s anywhere on the poster', async (_, touch) => {
		await using opened = await site.open(`/embed/${film.playbackId}`, { hasTouch: true })
		await opened.page.locator('.surface').waitFor({ state: 'attached' })
		await touch(opened.page)
		await untilVideo(opened.page, hasFrame)
	})

	test('the player hides the controls with controls=0, and still plays and pauses with a click', async () => {
		await using opened = await openPlaying('?controls=0')
		expect(await opened.page.locator('.controls').count()).toBe(0)
		await opened.page.mouse.click(300, 300)
		await untilVideo(opened.page, 'video.paused')
	})

	test.each([
		['de', 'ltr', 'Abspielen'],
		['pt', 'ltr', 'Reproduzir'],
		['ar', 'rtl', 'تشغيل'],
		['fa', 'rtl', 'پخش'],
		['he', 'rtl', 'הפעלה'],
	])(
		'the player uses %s (%s) when the address or the browser requests that language',
		async (language, direction, play) => {
			const options = { headers: { 'accept-language': `${language}-XX, en;q=0.5` } }
			const texts = await Promise.all([
				fetch(`${site.url}/embed/${film.playbackId}?lang=${language}`).then((response) => response.text()),
				fetch(`${site.url}/embed/${film.playbackId}`, options).then((response) => response.text()),
			])
			for (const text of texts) {
				expect(text).toContain(`<html lang="${language}" dir="${direction}"`)
				expect(text).toContain(`aria-label="${play}"`)
			}
		},
	)
})

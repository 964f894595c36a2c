import { beforeAll, describe, expect, test } from 'vitest'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { withCaptions } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type OpenPage,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

/** Heights in pixels: of the controls as drawn, of the time line, and of the lowest button. */
const measure = `(() => {
	const heightOf = (selector) => document.querySelector(selector).getBoundingClientRect().height
	const track = document.querySelector('.seek-track').getBoundingClientRect()
	const buttons = [...document.querySelectorAll('.row .button')].filter((each) => each.checkVisibility())
	const sides = buttons.map((each) => each.getBoundingClientRect()).flatMap(({ width, height }) => [width, height])
	return { controls: innerHeight - track.top, button: Math.min(...sides), line: track.height }
})()`
type Heights = { controls: number; button: number; line: number }

describe('the skin of the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('The harbour at night', withCaptions(site.film))
		const body = { description: '0:00 Start\n0:05 Middle\n0:11 End' }
		await site.call(updateAsset, { params: { assetId: film.id }, body }, { token: site.token })
	})

	async function openPaused(query: string, options: Parameters<PlayerSite['open']>[1]): Promise<OpenPage> {
		const opened = await site.open(`/embed/${film.playbackId}${query}`, options)
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		await opened.page.keyboard.press('k')
		await untilVideo(opened.page, 'video.paused')
		return opened
	}

	test.each([
		['a mouse', 40, {}],
		['fingers', 44, { hasTouch: true, isMobile: true }],
	])(
		'the controls take a quarter of a small player, with buttons for %s of %d px',
		async (_, side, options) => {
			await using opened = await openPaused('', { viewport: { width: 320, height: 180 }, ...options })
			const heights = await opened.page.evaluate<Heights>(measure)
			expect(heights.button).toBe(side)
			expect(heights.controls).toBeLessThanOrEqual(180 / 4)
			expect(opened.problems).toEqual([])
		},
	)

	test('the time line of the player grows from 4 to 6 px under the pointer, over the full width', async () => {
		await using opened = await openPaused('', { reducedMotion: 'reduce' })
		const { page } = opened
		const heights = () => page.evaluate<Heights>(measure)
		await page.mouse.move(400, 200)
		expect((await heights()).line).toBe(4)
		const box = await page.locator('.seek').boundingBox()
		expect(box?.width).toBeGreaterThanOrEqual(800 - 24)
		await page.mouse.move(400, (box?.y ?? 0) + 10)
		expect((await heights()).line).toBe(6)
	})

	test('the volume of the player unfolds under the pointer and for the focus', async () => {
		await using opened = await openPaused('', { reducedMotion: 'reduce' })
		const { page } = opened
		const slider = page.getByRole('slider', { name: 'Volume' })
		const width = async () => (await slider.boundingBox())?.width
		await page.mouse.move(400, 200)
		expect(await width()).toBe(0)
		await page.getByRole('button', { name: 'Mute' }).hover()
		expect(await width()).toBe(64)
		await page.mouse.move(400, 200)
		expect(await width()).toBe(0)
		await slider.focus()
		expect(await width()).toBe(64)
	})

	test('the poster shows the title, the length and captions, which the controls replace', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		expect(await page.locator('.overlay-title').textContent()).toBe('The harbour at night')
		expect(await page.locator('.badges span').allTextContents()).toEqual(['CC', '0:16'])
		await page.click('.start')
		await page.locator('.badges').waitFor({ state: 'hidden' })
	})

	test('the player flashes an icon in its middle for play, pause and skip', async () => {
		await using opened = await openPaused('', {})
		const { page } = opened
		const flash = page.locator('.announcer.is-icon svg')
		const drawn = () => flash.locator('path').getAttribute('d')
		const { x = 0, y = 0, width = 0, height = 0 } = (await flash.boundingBox()) ?? {}
		expect(x + width / 2).toBeCloseTo(400)
		expect(y + height / 2).toBeCloseTo(225)
		const paused = await drawn()
		const icons = [paused]
		for (const [act, text] of [
			[() => page.mouse.click(400, 100), 'Playing'],
			[() => page.mouse.click(400, 100), 'Paused'],
			[() => page.keyboard.press('l'), '10 seconds forward'],
			[() => page.keyboard.press('j'), '10 seconds back'],
		] as const) {
			await act()
			await expect.poll(() => page.getByRole('status').textContent()).toBe(text)
			icons.push(await drawn())
		}
		expect(icons[2]).toBe(paused)
		expect(new Set(icons).size).toBe(4)
		await page.locator('.announcer.is-visible').waitFor({ state: 'detached' })
		await page.keyboard.press('m')
		expect(await page.locator('.announcer.is-icon').count()).toBe(0)
	})

	test('tooltips of the player show the key, end within the frame, and have no key if shortcuts are off', async () => {
		await using opened = await openPaused('', { viewport: { width: 320, height: 180 } })
		const { page } = opened
		const tip = (name: string) =>
			page.evaluate(`(() => {
				const button = document.querySelector('[aria-label="${name}"]:not(.start)')
				const { content, display, justifySelf: side } = getComputedStyle(button, '::before')
				return { content, display, side, keys: button.getAttribute('aria-keyshortcuts') }
			})()`)
		await page.getByRole('button', { name: 'Full screen' }).hover()
		expect(await tip('Full screen')).toEqual({
			content: '"Full screen (F)"',
			display: 'block',
			side: 'end',
			keys: 'F',
		})
		expect(await tip('Play')).toEqual({ content: '"Play (K)"', display: 'none', side: 'start', keys: 'K' })
		expect(await tip('Settings')).toEqual({
			content: '"Settings"',
			display: 'none',
			side: 'center',
			keys: null,
		})
		await using other = await site.open(`/embed/${film.playbackId}?keys=0`)
		const play = other.page.locator('.row .button').first()
		expect(await play.getAttribute('data-tip')).toBe('Play')
		expect(await play.getAttribute('aria-keyshortcuts')).toBeNull()
	})

	test('the shortcut dialog of the player marks each key as a key', async () => {
		await using opened = await openPaused('', {})
		await opened.page.keyboard.press('Shift+?')
		await opened.page.locator('dialog kbd').first().waitFor()
		const keys = await opened.page.locator('dialog kbd').allTextContents()
		expect(keys.slice(0, 4)).toEqual(['K', 'Space', '←', '→'])
		expect(keys).toEqual(expect.arrayContaining(['0', '9', ',', '.', '?']))
		expect(keys).not.toContain('…')
	})

	test('the player has a compact form below a width of 280 px', async () => {
		await using opened = await openPaused('', { viewport: { width: 260, height: 146 } })
		const { page } = opened
		const shown = () =>
			page
				.locator('.row .button:visible')
				.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))
		expect(await shown()).toEqual(['Play', 'Mute', 'Settings', 'Full screen'])
		expect(await page.locator('.time').isVisible()).toBe(false)
		await page.setViewportSize({ width: 320, height: 180 })
		expect(await shown()).toEqual(['Play', 'Mute', 'Chapters', 'Captions', 'Settings', 'Full screen'])
		expect(await page.locator('.time').isVisible()).toBe(true)
	})
})

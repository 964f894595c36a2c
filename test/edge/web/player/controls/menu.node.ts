import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { withCaptions } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type OpenPage,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'
import { chooseSetting, openSettings, readChoice } from './settings.node.ts'

const focused = (page: Page) =>
	page.evaluate<string>(
		'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
	)

describe('the menus of the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film with captions', withCaptions(site.film))
	})

	async function openPaused(options: Parameters<PlayerSite['open']>[1] = {}, query = ''): Promise<OpenPage> {
		const opened = await site.open(`/embed/${film.playbackId}${query}`, options)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		await page.keyboard.press('5')
		await untilVideo(page, 'video.paused && video.currentTime === 8')
		return opened
	}

	test('the menus of the player are usable with arrows, Home, End, Enter and Escape', async () => {
		await using opened = await openPaused()
		const { page } = opened
		const walk = async (...keys: string[]) => {
			for (const key of keys) await page.keyboard.press(key)
			return focused(page)
		}
		await page.getByRole('button', { name: 'Settings' }).focus()
		expect(await walk('Enter')).toMatch(/^Quality Auto/)
		const menu = page.getByRole('menu', { name: 'Settings' })
		const names = await menu.getByRole('menuitem').or(menu.getByRole('menuitemcheckbox')).allTextContents()
		expect(names.map((name) => name.split(' ')[0])).toEqual([
			'Quality',
			'Speed',
			'Audio',
			'Captions',
			'Caption',
			'Loop',
			'Statistics',
			'Copy',
			'Share',
		])
		expect(await walk('ArrowDown')).toBe('Speed Normal')
		expect(await walk('End')).toBe('Share')
		expect(await walk('ArrowDown')).toMatch(/^Quality/)
		expect(await walk('ArrowUp', 'Home')).toMatch(/^Quality/)
		expect(await walk('ArrowDown', 'ArrowRight')).toBe('Normal')
		expect(await page.getByRole('menu').getAttribute('aria-label')).toBe('Speed')
		expect(await walk('ArrowDown', 'Enter')).toBe('Speed 1.25 ×')
		expect(await readVideo(page, 'video.playbackRate')).toBe(1.25)
		expect(await walk('Enter')).toBe('1.25 ×')
		expect(await walk('ArrowLeft')).toBe('Speed 1.25 ×')
		expect(await walk('Enter', 'Home')).toBe('Back: Speed')
		expect(await walk('Enter')).toBe('Speed 1.25 ×')
		expect(await walk('Escape')).toBe('Settings')
		expect(await page.getByRole('menu').count()).toBe(0)
		// The menus handled the arrow keys, so the video did not seek.
		expect(await readVideo(page, '[video.currentTime, video.volume]')).toEqual([8, 1])
		expect(opened.problems).toEqual([])
	})

	test('a menu of the player closes when the focus leaves it, and marks the focus within it', async () => {
		await using opened = await openPaused()
		const { page } = opened
		await page.getByRole('button', { name: 'Settings' }).focus()
		await page.keyboard.press('Enter')
		const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineWidth')
		expect(Number.parseFloat(outline)).toBeGreaterThanOrEqual(2)
		await page.keyboard.press('Tab')
		expect(await page.getByRole('menu').count()).toBe(0)
		expect(await focused(page)).toBe('Picture in picture')
	})

	test('a menu of the player leads on with the left arrow where text runs from right to left', async () => {
		await using opened = await openPaused()
		const { page } = opened
		await page.evaluate('document.documentElement.dir = "rtl"')
		await page.getByRole('button', { name: 'Settings' }).focus()
		await page.keyboard.press('Enter')
		await page.keyboard.press('ArrowRight')
		expect(await focused(page)).toMatch(/^Quality/)
		await page.keyboard.press('ArrowLeft')
		expect(await page.getByRole('menu').getAttribute('aria-label')).toBe('Quality')
		await page.keyboard.press('ArrowRight')
		expect(await page.getByRole('menu').getAttribute('aria-label')).toBe('Settings')
	})

	test('a menu of the player has an edge, ticks and a visible focus where the system chooses the colors', async () => {
		await using opened = await openPaused({ reducedMotion: 'reduce' })
		const { page } = opened
		await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
		await page.getByRole('button', { name: 'Settings' }).focus()
		for (const key of ['Enter', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
		const styleOf = (selector: string, name: string) =>
			page.evaluate<string>(
				`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`,
			)
		const background = await styleOf('.panel:not([hidden])', 'background-color')
		expect(await styleOf('.panel:not([hidden])', 'border-top-width')).toBe('1px')
		expect(await styleOf('.entry[aria-checked="true"] svg', 'visibility')).toBe('visible')
		expect(await styleOf('.entry[aria-checked="true"] svg', 'fill')).not.toBe(background)
		expect(await styleOf('.entry[aria-checked="false"] svg', 'visibility')).toBe('hidden')
		expect(await styleOf('.entry:focus', 'outline-color')).not.toBe(background)
		expect(await styleOf('.entry:focus', 'outline-style')).toBe('solid')
	})

	test('the settings of the player repeat the video, and show statistics until they are turned off', async () => {
		await using opened = await openPaused()
		const { page } = opened
		await openSettings(page)
		const loop = page.getByRole('menuitemcheckbox', { name: 'Loop' })
		expect(await loop.getAttribute('aria-checked')).toBe('false')
		await loop.click()
		expect(await loop.getAttribute('aria-checked')).toBe('true')
		expect(await readVideo(page, 'video.loop')).toBe(true)
		const statistics = page.getByRole('menuitemcheckbox', { name: 'Statistics' })
		await statistics.click()
		const list = page.locator('.statistics')
		expect(await list.locator('dt').allTextContents()).toEqual([
			'Quality',
			'Bandwidth',
			'Buffer',
			'Dropped frames',
			'Report id',
		])
		const [quality, bandwidth, buffer, frames] = await list.locator('dd').allTextContents()
		expect(quality).toMatch(/^\d{3}×\d{3}, \d+\.\d Mb\/s$/)
		expect(bandwidth).toMatch(/^[1-9]\d*\.\d Mb\/s$|^0\.[1-9] Mb\/s$/)
		expect(buffer).toMatch(/^[1-9]\d*\.\d s$/)
		expect(frames).toMatch(/^\d+ \/ [1-9]\d*$/)
		await statistics.click()
		expect(await list.isVisible()).toBe(false)
	})

	test('the settings of the player copy a link to this moment, but not of a signed video', async () => {
		await using opened = await openPaused({ permissions: ['clipboard-read', 'clipboard-write'] })
		const { page } = opened
		await openSettings(page)
		await page.getByRole('menuitem', { name: 'Copy link at 0:08' }).click()
		await expect.poll(() => page.getByRole('status').textContent()).toBe('Copied')
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
			`${site.url}/watch/${film.playbackId}?t=8`,
		)
		expect(await page.getByRole('menu').count()).toBe(0)
		await using signed = await openPaused({}, '?token=x')
		await openSettings(signed.page)
		expect(await signed.page.getByRole('menuitem', { name: /^Copy/ }).count()).toBe(0)
	})

	test.each([
		['a large player', 1_280, 720],
		['a small player, as a sheet', 360, 640],
	])('a menu takes at most three fifths of the height of %s', async (_, width, height) => {
		await using opened = await openPaused({ viewport: { width, height } })
		const { page } = opened
		await openSettings(page)
		const box = await page.getByRole('menu').boundingBox()
		expect(box?.height).toBeLessThanOrEqual(height * 0.6)
		if (width < 460)
			expect([box?.x, box?.width, (box?.y ?? 0) + (box?.height ?? 0)]).toEqual([0, width, height])
	})

	test('the settings of a player of 320×180 show three entries and a part of the next one', async () => {
		await using opened = await openPaused({ viewport: { width: 320, height: 180 } })
		await openSettings(opened.page)
		const box = await opened.page.getByRole('menu').boundingBox()
		expect(box?.y).toBeGreaterThanOrEqual(24)
		expect(box?.height).toBeGreaterThan(3.3 * 36)
		await chooseSetting(opened.page, ['Caption style', 'Size'], 'Large')
		expect(await readChoice(opened.page, 'Caption style', 'Size')).toBe('Large')
	})
})

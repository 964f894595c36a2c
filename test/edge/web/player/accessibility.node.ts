import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { createComment } from '#schema/contract/watch/comments.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { accessibilityProblems } from '../../../support/node/accessibility.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { openSettings } from './controls/settings.node.ts'
import { withCaptions } from './player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from './player-site.node.ts'

const TITLE = 'فيلم قصير عن البحر'
const widths = [
	{ width: 320, height: 180 },
	{ width: 1280, height: 720 },
]

/** Rules that are about whole sites; an embed is a part of the page around it. */
const rulesOfSites = ['landmark-one-main', 'page-has-heading-one']

describe('accessibility of the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film
	let signed: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		const options = { token: site.token }
		await site.call(updateSettings, { body: { theme: 'auto' } }, options)
		film = await site.publish('Film', withCaptions(site.film))
		signed = await site.publish('Signed')
		const description = `${TITLE}\n0:00 Start\n0:05 Middle\n0:11 End`
		await site.call(updateAsset, { params: { assetId: film.id }, body: { description } }, options)
		const segments = [{ start: 0, end: 4, text: TITLE }]
		const transcript = { language: 'ar', segments }
		await site.call(replaceTranscript, { params: { assetId: film.id }, body: { transcript } }, options)
		await site.call(updateAsset, { params: { assetId: signed.id }, body: { visibility: 'signed' } }, options)
	})

	/** Checks the page as it is now. */
	const problemsOf = (page: Page, disabled: readonly string[] = rulesOfSites): Promise<string[]> =>
		accessibilityProblems(page, {
			disabled,
			async check(colorScheme) {
				const [panel, bar] = await page.evaluate<string[]>(`[
					getComputedStyle(document.querySelector('.panel, .failure')).backgroundColor,
					getComputedStyle(document.querySelector('.row') ?? document.querySelector('.failure')).color,
				]`)
				// The controls are white in every theme.
				if (await page.locator('.row').count()) expect(bar).toBe('rgb(255, 255, 255)')
				expect(panel).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(23, 22, 27)')
			},
		})

	test.each(widths)('the embed page passes axe in every state, at a width of $width', async (viewport) => {
		await using opened = await site.open(`/embed/${film.playbackId}?title=${TITLE}`, { viewport })
		const { page } = opened
		await page.locator('.controls').waitFor({ state: 'attached' })
		expect(await problemsOf(page)).toEqual([])

		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		await untilVideo(page, 'video.paused')
		for (const names of [[], ['Quality'], ['Caption style']]) {
			await openSettings(page, ...names)
			expect(await problemsOf(page)).toEqual([])
			await page.keyboard.press('Escape')
		}
		await page.keyboard.press('Shift+?')
		await page.getByRole('dialog').waitFor()
		expect(await problemsOf(page)).toEqual([])
		expect(opened.problems).toEqual([])
	})

	test.each(widths)('the watch page passes axe, at a width of $width', async (viewport) => {
		const body = { authorName: TITLE, body: TITLE, timestampSec: 5 }
		await site.call(createComment, { params: film, query: {}, body })
		await using opened = await site.open(`/watch/${film.playbackId}?title=${TITLE}`, { viewport })
		const { page } = opened
		await page.getByRole('tab', { name: 'Comments' }).waitFor()
		for (const name of ['Transcript', 'Comments']) {
			expect(await problemsOf(page, [])).toEqual([])
			await page.getByRole('tab', { name }).click()
		}
		await page.locator('.comment-body').first().waitFor()
		expect(await problemsOf(page, [])).toEqual([])
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		await untilVideo(page, 'video.paused')
		await page.getByRole('button', { name: 'Chapters' }).click()
		expect(await problemsOf(page, [])).toEqual([])
		await page.keyboard.press('Escape')
		await page.getByRole('button', { name: 'Share' }).click()
		await page.getByRole('dialog', { name: 'Share' }).waitFor()
		expect(await problemsOf(page, [])).toEqual([])
		expect(opened.problems).toEqual([])
	})

	test.each(widths)('a player page without a video passes axe, at a width of $width', async (viewport) => {
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			viewport,
			prepare: (page) => page.route('**/media/**', (route) => route.fulfill({ status: 403 })),
		})
		const { page } = opened
		await page.click('.start')
		await page.getByRole('alert').getByText('This video needs a valid link').waitFor()
		expect(await problemsOf(page)).toEqual([])
		for (const [path, heading] of [
			[`/embed/${'x'.repeat(22)}`, 'This video is not available'],
			[`/embed/${signed.playbackId}`, 'This video needs a valid link'],
		] as const) {
			await page.goto(site.url + path)
			await page.getByRole('heading', { name: heading }).waitFor()
			await page.getByRole('button', { name: 'Copy' }).waitFor()
			expect(await problemsOf(page)).toEqual([])
		}
	})

	test('the player keeps every control within the bar, even in the narrowest frame', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.getByRole('button', { name: 'Chapters' }).waitFor({ state: 'attached' })
		for (const width of [200, 240, 300, 320, 340, 460, 800]) {
			await page.setViewportSize({ width, height: 180 })
			const outside = await page.evaluate<string[]>(`(() => {
				const bar = document.querySelector('.controls').getBoundingClientRect()
				const all = [...document.querySelectorAll('.controls .row > *, .controls button')]
				return all
					.map((each) => [each.title || each.className, each.getBoundingClientRect()])
					.filter(([, { left, right }]) => left < bar.left && right > 0 || right > bar.right)
					.map(([name]) => name)
			})()`)
			expect([width, ...outside]).toEqual([width])
		}
	})

	test('the player shows a title in the direction of its own text', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}?title=${TITLE}`)
		const directionOf = (selector: string) =>
			opened.page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`)
		expect([await directionOf('.overlay-title'), await directionOf('.player')]).toEqual(['rtl', 'ltr'])
		await opened.page.evaluate(`document.documentElement.dir = 'rtl'`)
		// A time line runs from left to right in every language.
		expect([await directionOf('.player'), await directionOf('.seek')]).toEqual(['rtl', 'ltr'])
	})

	test('the player marks the focus on every control, and each is large enough for a finger', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		await page.locator('.controls').waitFor({ state: 'attached' })
		await page.keyboard.press('Tab')
		const describeFocus = () =>
			page.evaluate<{
				name: string
				outline: number
				width: number
				height: number
				hidden: boolean
			}>(`(() => {
				const focused = document.activeElement
				const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(focused)
				const { width, height } = focused.getBoundingClientRect()
				const isDrawn = outlineStyle !== 'none' && !/, 0\\)$/.test(outlineColor)
				const hidden = !focused.checkVisibility({ opacityProperty: true })
				const name = focused.getAttribute('aria-label') ?? focused.id ?? focused.textContent
				return { name, outline: isDrawn ? parseFloat(outlineWidth) : 0, width, height, hidden }
			})()`)
		const controls = [await describeFocus()]
		await page.keyboard.press('Enter')
		await untilVideo(page, hasFrame)
		await page.getByRole('button', { name: 'Settings' }).focus()
		await page.keyboard.press('Enter')
		await page.getByRole('slider', { name: 'Position' }).focus()
		while (controls.at(-1)?.name !== 'Full screen' && controls.length < 30) {
			controls.push(await describeFocus())
			await page.keyboard.press('Tab')
		}
		expect(controls.map(({ name }) => name)).toEqual(
			expect.arrayContaining([
				'Play',
				'Position',
				'Pause',
				'Mute',
				'Volume',
				'Captions',
				'Settings',
				'Full screen',
			]),
		)
		for (const control of controls) {
			expect([control.name, control.hidden]).toEqual([control.name, false])
			expect(control.outline, control.name).toBeGreaterThanOrEqual(2)
			expect(Math.min(control.width, control.height), control.name).toBeGreaterThanOrEqual(24)
		}
	})

	test('the player announces changes in a live region, and problems in an alert', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		const status = page.getByRole('status')
		await page.keyboard.press('ArrowRight')
		await expect.poll(() => status.textContent()).toBe('5 seconds forward')
		await page.keyboard.press('c')
		await expect.poll(() => status.textContent()).toBe('Captions on')
		expect(await page.locator('.captions').getAttribute('aria-live')).toBe('off')

		await using refused = await site.open(`/embed/${film.playbackId}`, {
			prepare: (other) => other.route('**/media/**', (route) => route.fulfill({ status: 403 })),
		})
		await refused.page.click('.start')
		await expect
			.poll(() => refused.page.getByRole('alert').textContent())
			.toMatch(/^This video needs a valid link.+Report id /)
	})

	test('the player moves nothing for viewers who prefer less motion', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		const moving = () =>
			page.evaluate<{ fading: number; animated: string[] }>(`(() => {
				const parts = [...document.querySelectorAll('.player, .player *')].flatMap((each) =>
					[null, '::before', '::after'].map((part) => getComputedStyle(each, part)))
				const fading = parts.filter(({ transitionDuration }) => /[1-9]/.test(transitionDuration)).length
				const animated = parts.map(({ animationName }) => animationName).filter((name) => name !== 'none')
				return { fading, animated }
			})()`)
		await page.locator('.controls').waitFor({ state: 'attached' })
		await page.evaluate('document.querySelector(".player").classList.add("is-waiting")')
		expect(await moving()).toEqual({ fading: expect.toSatisfy((count) => count > 0), animated: ['turn'] })
		await page.emulateMedia({ reducedMotion: 'reduce' })
		expect(await moving()).toEqual({ fading: 0, animated: [] })
	})

	test('the player keeps its controls visible where the system chooses the colors', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			viewport: { width: 800, height: 450 },
		})
		const { page } = opened
		await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		await untilVideo(page, 'video.paused')
		const styleOf = (selector: string, name: string, part = '') =>
			page.evaluate<string>(
				`getComputedStyle(document.querySelector('${selector}'), '${part}' || null).getPropertyValue('${name}')`,
			)
		const panel = await styleOf('.controls', 'background-color')
		expect(await styleOf('.controls .button svg', 'fill')).not.toBe(panel)
		for (const slider of ['.seek-input', '.volume-input'])
			expect(await styleOf(slider, 'background-color', '::-webkit-slider-thumb')).not.toBe(panel)
		expect(await styleOf('.volume-input', 'background-image')).toMatch(/^linear-gradient/)
		expect(await styleOf('.seek-played', 'background-color')).not.toBe(panel)
		expect(await styleOf('.seek-played', 'background-color')).not.toBe(
			await styleOf('.seek-track', 'background-color'),
		)
		expect(await readVideo(page, 'video.paused')).toBe(true)
	})
})

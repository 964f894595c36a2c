import { beforeAll, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { createComment } from '#schema/contract/watch/comments.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

const DESCRIPTION = `Of the sea, see https://example.org/sea.\n${'Many words. '.repeat(80)}\n0:00 Start\n0:05 Middle\n0:11 End`

describe('the parts of the watch page', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Place')
		const options = { token: site.token }
		const params = { assetId: film.id }
		await site.call(updateAsset, { params, body: { description: DESCRIPTION } }, options)
		const segments = [{ start: 8, end: 11, text: 'Goodbye, my friends.' }]
		await site.call(
			replaceTranscript,
			{ params, body: { transcript: { language: 'en', segments } } },
			options,
		)
	})

	test('the watch page names the publisher and the date, and shows one panel at a time beside the video', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			viewport: { width: 1_280, height: 800 },
		})
		const { page } = opened
		expect(await page.getByRole('banner').textContent()).toContain('Ada’s organization')
		expect(await page.locator('.published').textContent()).toMatch(/^Ada’s organization \w+ \d+, \d{4}$/)
		const tabs = page.getByRole('tab')
		expect(await tabs.allTextContents()).toEqual(['Chapters', 'Transcript', 'Comments'])
		await tabs.first().focus()
		for (const panel of ['.transcript', '.comments', '.chapters']) {
			await page.keyboard.press('ArrowRight')
			expect(await page.locator('.panels > :not(.tabs):visible').count()).toBe(1)
			expect(await page.locator(panel).isVisible(), panel).toBe(true)
		}
		const boxOf = (selector: string) => page.locator(selector).boundingBox()
		const [stage, panels] = [await boxOf('.stage'), await boxOf('.panels')]
		expect(panels?.x).toBeGreaterThan((stage?.x ?? 0) + (stage?.width ?? 0))
		expect(panels?.y).toBe(stage?.y)
		expect(opened.problems).toEqual([])
	})

	test('the watch page folds a long description, and links in the description send no referrer', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`)
		const { page } = opened
		const height = async () => (await page.locator('.description').boundingBox())?.height ?? 0
		const folded = await height()
		const button = page.getByRole('button', { name: 'Show more' })
		expect(await button.getAttribute('aria-expanded')).toBe('false')
		await button.click()
		expect(await height()).toBeGreaterThan(folded * 2)
		await page.getByRole('button', { name: 'Show less' }).click()
		expect(await height()).toBe(folded)
		const link = page.getByRole('link', { name: 'https://example.org/sea' })
		expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
			'https://example.org/sea',
			'nofollow ugc noopener noreferrer',
		])
	})

	test('a small player stays visible while the video plays out of sight, until the viewer closes the small player', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			viewport: { width: 600, height: 400 },
		})
		const { page } = opened
		const mini = page.locator('.player.is-mini')
		await page.getByRole('tab', { name: 'Transcript' }).click()
		await page.evaluate('scrollTo(0, document.body.scrollHeight)')
		expect(await mini.count()).toBe(0)
		await page.getByRole('link', { name: 'Goodbye, my friends.' }).click()
		await untilVideo(page, `${hasFrame} && video.currentTime >= 8`)
		await mini.waitFor()
		const { x = 0, y = 0, width = 0, height = 0 } = (await mini.boundingBox()) ?? {}
		expect([x + width <= 600, y + height <= 400, width > 160]).toEqual([true, true, true])
		await mini.hover()
		await page.getByRole('button', { name: 'Close the small player' }).click()
		await untilVideo(page, 'video.paused')
		expect(await mini.count()).toBe(0)
		await page.evaluate('scrollTo(0, 0)')
		expect(await page.locator('.player').evaluate((player) => player.getBoundingClientRect().width)).toBe(600)
		expect(opened.problems).toEqual([])
	})

	test('a comment shows the initials of its author and its age', async () => {
		const body = { authorName: 'Jonas von der Au', body: 'Hello', timestampSec: null }
		await site.call(createComment, { params: film, query: {}, body })
		await using opened = await site.open(`/watch/${film.playbackId}?lang=de`)
		const { page } = opened
		await page.getByRole('tab', { name: 'Kommentare' }).click()
		await page.locator('.comment-body').waitFor()
		expect(await page.locator('.avatar').textContent()).toBe('JA')
		expect(await page.locator('.comment-head time').textContent()).toMatch(/^(jetzt|vor \d Minuten?)$/)
		expect(await page.locator('.comment-head time').getAttribute('title')).toMatch(/\d{4}/)
	})

	test('the share dialog shows poster and title, and can share the link through an app of the device', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}?t=7`, {
			prepare: (page) =>
				page.addInitScript(`navigator.share = async (shared) => {
					window.shared = shared
				}`),
		})
		const { page } = opened
		await page.getByRole('button', { name: 'Share' }).click()
		const dialog = page.getByRole('dialog', { name: 'Share' })
		await dialog.getByText('Place', { exact: true }).waitFor()
		const posterWidth = () =>
			page.evaluate<number>(`document.querySelector('.share-preview img').naturalWidth`)
		await expect.poll(posterWidth).toBeGreaterThan(0)
		await dialog.getByRole('checkbox', { name: 'Start at 0:07' }).check()
		await dialog.getByRole('button', { name: 'Share with an app' }).click()
		await expect
			.poll(() => page.evaluate('window.shared'))
			.toEqual({
				title: 'Place',
				url: `${site.url}/watch/${film.playbackId}?t=7`,
			})
		expect(opened.problems).toEqual([])
	})

	test('the share dialog has no button for apps if the browser can’t share', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			prepare: (page) => page.addInitScript('delete Navigator.prototype.share'),
		})
		await opened.page.getByRole('button', { name: 'Share' }).click()
		await opened.page.getByRole('dialog', { name: 'Share' }).getByText('Link').waitFor()
		expect(await opened.page.getByRole('button', { name: 'Share with an app' }).count()).toBe(0)
	})
})

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { createComment } from '#schema/contract/watch/comments.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from './player-site.node.ts'

const evil = '</script><img src=x onerror="console.error(1)"><script>console.error(2)</script>'

describe('the watch page', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
	})

	const change = (body: Parameters<typeof updateAsset.body.parse>[0] & object, { id }: Film = film) =>
		site.call(updateAsset, { params: { assetId: id }, body }, { token: site.token })
	const isStarted = async (page: Page) => {
		await page.click('.start')
		await untilVideo(page, hasFrame)
	}

	const openPanel = (page: Page, name: string) => page.getByRole('tab', { name }).click()

	test('the watch page plays, and lets viewers comment on a moment and return to it', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}?t=6`)
		const { page } = opened
		await page.getByText('No comments yet').waitFor()
		await isStarted(page)
		await page.keyboard.press('k')
		await page.getByLabel('Your name').fill('Bea')
		await page.getByLabel('Your comment').fill('Look here\nand there')
		await page.getByRole('button', { name: 'Post comment' }).click()
		await page.getByText('Your comment was posted.').waitFor()
		expect(await page.locator('.comment-body').textContent()).toBe('Look here\nand there')
		expect(await page.getByLabel('Your comment').inputValue()).toBe('')
		expect(await page.locator('.marker').count()).toBe(1)
		await page.locator('.seek-input').focus()
		await page.keyboard.press('0')
		await untilVideo(page, 'video.currentTime === 0')
		await page.getByRole('button', { name: /^Play from 0:0\d$/ }).click()
		await untilVideo(page, '!video.paused && video.currentTime >= 6')
		expect(opened.problems).toEqual([])
	})

	test('the watch page seeks to spoken words, follows them, and finds words in the transcript', async () => {
		const spoken = await site.publish('Spoken')
		const segments = [
			{ start: 0, end: 3, text: 'Welcome aboard the old' },
			{ start: 3, end: 5, text: 'café on the sea.' },
			{ start: 8, end: 11, text: 'Goodbye, my friends.' },
		]
		await site.call(
			replaceTranscript,
			{ params: { assetId: spoken.id }, body: { transcript: { language: 'en', segments } } },
			{ token: site.token },
		)
		await using opened = await site.open(`/watch/${spoken.playbackId}`)
		const { page } = opened
		const transcript = page.getByRole('region', { name: 'Transcript' })
		const search = page.getByRole('searchbox', { name: 'Search the transcript' })
		await search.fill('OLD  cafe')
		await page.getByText('Matches: 1').waitFor()
		expect(await transcript.locator('mark').allTextContents()).toEqual(['old', 'café'])
		expect(await transcript.locator('li:visible').count()).toBe(1)
		await search.fill('nothing of this')
		await page.getByText('No matches').waitFor()
		expect(await transcript.locator('li:visible').count()).toBe(0)
		await search.fill('')
		expect(await transcript.locator('li:visible').count()).toBe(2)
		expect(await transcript.locator('mark').count()).toBe(0)

		const goodbye = transcript.getByRole('link', { name: 'Goodbye, my friends.' })
		expect(await goodbye.getAttribute('href')).toBe('?t=8')
		await goodbye.click()
		await untilVideo(page, `${hasFrame} && video.currentTime >= 8`)
		await expect.poll(() => goodbye.getAttribute('aria-current')).toBe('true')
		await page.keyboard.press('k')
		await transcript.getByRole('link', { name: '0:00' }).focus()
		await page.keyboard.press('Enter')
		await untilVideo(page, 'video.currentTime < 5')
		await expect.poll(() => goodbye.getAttribute('aria-current')).toBeNull()
		expect(opened.problems).toEqual([])
	})

	test('the transcript of the watch page works without scripts, and hides what needs one', async () => {
		const response = await fetch(`${site.url}/watch/${film.playbackId}`)
		expect(await response.text()).not.toContain('class="transcript"')
		const segments = [{ start: 4.5, end: 6, text: 'Tom & <b>Jerry</b>' }]
		const params = { assetId: film.id }
		await site.call(replaceTranscript, { params, body: { transcript: { segments } } }, { token: site.token })
		const page = await (await fetch(`${site.url}/watch/${film.playbackId}?lang=de`)).text()
		expect(page).toContain(
			'<a href="?lang=de&amp;t=4.5" data-start="4.5" tabindex="-1">Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;</a>',
		)
		expect(page).toContain('<h2 id="transcript-title">Transkript</h2>')
		await using plain = await site.open(`/watch/${film.playbackId}`, { javaScriptEnabled: false })
		for (const selector of ['.actions', '.transcript-search', '.comments'])
			expect([selector, await plain.page.locator(selector).isVisible()]).toEqual([selector, false])
		expect(await plain.page.locator('[hidden]:visible').count()).toBe(0)
		await plain.page.getByRole('link', { name: 'Tom & <b>Jerry</b>' }).click()
		expect(plain.page.url()).toBe(`${site.url}/watch/${film.playbackId}?t=4.5`)
		await change({ publicSettings: { showTranscript: false } })
		const without = await (await fetch(`${site.url}/watch/${film.playbackId}`)).text()
		expect(without).not.toContain('Jerry')
		await change({ publicSettings: { showTranscript: true } })
	})

	test('the watch page links to the highlights, and shows none if the organization hides them', async () => {
		const shown = await site.publish('With a highlight')
		const { playbackId, id } = shown
		const database = await site.worker.miniflare.getD1Database('DB')
		await database
			.prepare(
				`insert into highlights (id, asset_id, org_id, title, description, start_ms, end_ms, score, reasons, status, task_id, clip_folder, has_poster, created_at)
				select 'hlt_00000000000000000000000001', id, org_id, ?, 'What they say', 8000, 12500, 1, '[]', 'ready', 'tsk_1', ?, 1, created_at from assets where id = ?`,
			)
			.bind(evil, `media/${playbackId}/highlights/tsk_1-1/`, id)
			.run()
		const bucket = await site.worker.miniflare.getR2Bucket('MEDIA')
		const poster = [...site.film].find(([name]) => name.endsWith('/poster.jpg'))?.[1]
		await bucket.put(`media/${playbackId}/highlights/tsk_1-1/poster.jpg`, poster ?? '')
		await using opened = await site.open(`/watch/${playbackId}`)
		const { page } = opened
		const link = page.getByRole('navigation', { name: 'Highlights' }).getByRole('link')
		expect(await link.locator('bdi').textContent()).toBe(evil)
		expect(await link.locator('.times').textContent()).toBe('0:08 (0:04)')
		expect(new URL((await link.getAttribute('href')) ?? '').search).toBe('?t=8&end=12.5')
		await link.scrollIntoViewIfNeeded()
		const width = () => page.evaluate<number>(`document.querySelector('.highlights img').naturalWidth`)
		await expect.poll(width).toBeGreaterThan(0)
		await link.click()
		await untilVideo(page, `${hasFrame} && video.currentTime >= 8`)
		expect(opened.problems).toEqual([])
		await change({ publicSettings: { showHighlights: false } }, shown)
		const without = await (await fetch(`${site.url}/watch/${playbackId}`)).text()
		expect(without).not.toContain('class="highlights"')
	})

	test('letters typed in a comment are no shortcuts of the player', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`)
		const { page } = opened
		await isStarted(page)
		await openPanel(page, 'Comments')
		await page.getByLabel('Your comment').pressSequentially('mk f0')
		expect(await readVideo(page, '[video.muted, video.paused, document.fullscreenElement]')).toEqual([
			false,
			false,
			null,
		])
	})

	test('the watch page scrolls with the usual keys, unless the viewer uses the player', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			viewport: { width: 800, height: 420 },
		})
		const { page } = opened
		await page.locator('.controls').waitFor({ state: 'attached' })
		const scrolled = () => page.evaluate<number>('scrollY')
		await page.keyboard.press('ArrowDown')
		await expect.poll(scrolled).toBeGreaterThan(0)
		expect(await readVideo(page, 'video.volume')).toBe(1)
		await page.keyboard.press('Home')
		await expect.poll(scrolled).toBe(0)
		// Nothing has the focus, and the player is visible.
		await page.keyboard.press('Space')
		await untilVideo(page, hasFrame)
		expect(await scrolled()).toBe(0)
		await page.evaluate('scrollTo(0, document.body.scrollHeight)')
		await page.keyboard.press('Space')
		await page.keyboard.press('m')
		await untilVideo(page, 'video.muted && !video.paused')
		await page.keyboard.press('Home')
		await expect.poll(scrolled).toBe(0)

		await page.mouse.click(300, 100)
		await untilVideo(page, 'video.paused')
		await page.keyboard.press('ArrowDown')
		await untilVideo(page, 'video.volume === 0.95')
		expect(await scrolled()).toBe(0)
		await page.evaluate('scrollTo(0, document.body.scrollHeight)')
		await page.keyboard.press('Space')
		await untilVideo(page, '!video.paused')
		await page.getByRole('heading', { level: 1 }).click()
		await page.keyboard.press('ArrowUp')
		expect(await readVideo(page, 'video.volume')).toBe(0.95)
	})

	test('the watch page loads comments page by page', async () => {
		const busy = await site.publish('Busy')
		for (let n = 1; n <= 22; n++)
			await site.call(createComment, {
				params: busy,
				query: {},
				body: { authorName: 'Bea', body: `comment ${n}`, timestampSec: null },
			})
		await using opened = await site.open(`/watch/${busy.playbackId}`)
		const items = opened.page.locator('.comment-list li')
		await expect.poll(() => items.count()).toBe(20)
		await opened.page.getByRole('button', { name: 'Show more comments' }).click()
		await expect.poll(() => items.count()).toBe(22)
		expect(await opened.page.locator('.more').isHidden()).toBe(true)
	})

	test('the watch page shows titles, descriptions and comments as text, whatever they contain', async () => {
		const hostile = await site.publish('Hostile')
		await change({ title: evil, description: evil }, hostile)
		const body = { authorName: evil.slice(0, 100), body: evil, timestampSec: 1 }
		await site.call(createComment, { params: hostile, query: {}, body })
		await using opened = await site.open(
			`/watch/${hostile.playbackId}?title=${encodeURIComponent(evil)}&color=%22%3E`,
		)
		const { page } = opened
		await page.locator('.comment-body').waitFor()
		await page.getByRole('button', { name: 'Share' }).click()
		expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(evil)
		expect(await page.locator('.description').textContent()).toBe(evil)
		expect(await page.locator('.comment-body').textContent()).toBe(evil)
		expect(await page.locator('.overlay-title').textContent()).toBe(evil)
		expect(opened.problems).toEqual([])
	})

	test('the watch page links to its chapters, even without scripts', async () => {
		const parts = await site.publish('Parts')
		await change({ description: 'A film\n0:00 Start\n0:05 <b>Middle</b>\n0:11 End' }, parts)
		await using plain = await site.open(`/watch/${parts.playbackId}`, { javaScriptEnabled: false })
		await plain.page.getByRole('link', { name: '0:05 <b>Middle</b>' }).click()
		expect(new URL(plain.page.url()).searchParams.get('t')).toBe('5')

		await using opened = await site.open(`/watch/${parts.playbackId}`)
		const { page } = opened
		await page.getByRole('link', { name: '0:05 <b>Middle</b>' }).click()
		await untilVideo(page, `${hasFrame} && video.currentTime >= 5`)
		expect(page.url()).toBe(`${site.url}/watch/${parts.playbackId}`)
		await page.getByRole('button', { name: 'Chapters' }).click()
		const menu = page.getByRole('group', { name: 'Chapters' })
		expect(await menu.locator('[aria-current]').textContent()).toBe('<b>Middle</b>0:05')
		await menu.getByRole('button', { name: 'End 0:11' }).click()
		await untilVideo(page, 'video.currentTime >= 11')
		await expect.poll(() => page.locator('.chapters [aria-current] bdi').textContent()).toBe('End')
		expect(await page.locator('.chapter-mark').count()).toBe(2)

		await change({ publicSettings: { showChapters: false } }, parts)
		await page.reload()
		expect(await page.locator('.chapters').count()).toBe(0)
	})

	test('the watch page remembers the reactions of a viewer', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`)
		const { page } = opened
		const heart = page.getByRole('button', { name: /^❤️, \d+$/ })
		await heart.click()
		await expect.poll(() => heart.getAttribute('aria-pressed')).toBe('true')
		await page.reload()
		await expect.poll(() => heart.getAttribute('aria-pressed')).toBe('true')
		expect(await heart.getAttribute('aria-label')).toBe('❤️, 1')
		await heart.click()
		await expect.poll(() => heart.getAttribute('aria-label')).toBe('❤️, 0')
	})

	test('the watch page offers the link and the embed code, optionally from the current position', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}?t=7&color=112233`)
		const { page } = opened
		await page.getByRole('button', { name: 'Share' }).click()
		const dialog = page.getByRole('dialog', { name: 'Share' })
		const link = dialog.getByLabel('Link', { exact: true })
		const code = dialog.getByLabel('Code for your page')
		expect(await link.inputValue()).toBe(`${site.url}/watch/${film.playbackId}?color=112233`)
		expect(await code.inputValue()).toMatch(
			/^<iframe src="[^"]+\/embed\/\w+\?color=112233" .*aspect-ratio:640\/360/,
		)
		await dialog.getByRole('checkbox', { name: 'Start at 0:07' }).check()
		expect(await link.inputValue()).toBe(`${site.url}/watch/${film.playbackId}?color=112233&t=7`)
		expect(await code.inputValue()).toContain(`/embed/${film.playbackId}?color=112233&t=7"`)
	})

	test.each([
		['the clipboard is allowed', ''],
		[
			'only what is selected may be copied',
			'navigator.clipboard.writeText = () => Promise.reject(new Error())',
		],
	])('the watch page copies the link if %s', async (_, script) => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			permissions: ['clipboard-read', 'clipboard-write'],
			prepare: (page) => page.addInitScript(script),
		})
		const { page } = opened
		await page.getByRole('button', { name: 'Share' }).click()
		await page.getByRole('button', { name: 'Copy' }).first().click()
		await page.getByRole('button', { name: 'Copied' }).waitFor()
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${site.url}/watch/${film.playbackId}`)
		expect(await page.locator('.hidden-field').count()).toBe(0)
	})

	test('the watch page does not report a copied link if the browser refused to copy', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			prepare: (page) =>
				page.addInitScript(`
					navigator.clipboard.writeText = () => Promise.reject(new Error())
					document.execCommand = () => {
						window.hasRefused = true
						return false
					}`),
		})
		const { page } = opened
		await page.getByRole('button', { name: 'Share' }).click()
		await page.getByRole('button', { name: 'Copy' }).first().click()
		await page.waitForFunction('window.hasRefused')
		expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0)
	})

	test('the watch page shows the download and the comments only if the organization enables them', async () => {
		await change({ publicSettings: { allowDownload: true, showComments: false } })
		await using opened = await site.open(`/watch/${film.playbackId}`)
		const { page } = opened
		expect(await page.locator('.comments').count()).toBe(0)
		await page.getByRole('button', { name: 'Download' }).click()
		await page.getByText('The file is not ready yet').waitFor()
		await change({ publicSettings: { allowDownload: false, showComments: true } })
		await page.reload()
		expect(await page.locator('.download').count()).toBe(0)
		await openPanel(page, 'Comments')
		await page.locator('.comments').waitFor()
	})

	test('the player of the watch page can be as wide as the window, and stays so', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}`, {
			viewport: { width: 1_600, height: 700 },
		})
		const { page } = opened
		await isStarted(page)
		const width = async () => (await page.locator('.player').boundingBox())?.width
		expect(await width()).toBeLessThan(1_100)
		await page.getByRole('button', { name: 'Wide player' }).click()
		expect(await width()).toBe(1_600)
		await page.reload()
		await expect.poll(width).toBe(1_600)
	})
})

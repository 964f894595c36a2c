import { beforeAll, describe, expect, test } from 'vitest'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { chooseSetting, listChoices, openSettings, readChoice } from './controls/settings.node.ts'
import { makeFilm, SECONDS, withCaptions } from './player-media.node.ts'
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

describe('the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film
	let captioned: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
		captioned = await site.publish('Film with captions', withCaptions(site.film))
	})

	const embed = (query = '', { playbackId }: Film = film) => `/embed/${playbackId}${query}`
	const paths = (requests: readonly { url(): string }[]) =>
		requests
			.map((request) => new URL(request.url()).pathname)
			.filter((path) => path !== '/landing/playhouse.svg')

	test('the player plays after four requests, none of them for a playlist', async () => {
		await using opened = await site.open(embed())
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		const all = paths(opened.requests)
		const beforeSegment = all.slice(
			0,
			all.findIndex((path) => path.endsWith('.m4s')),
		)
		expect(beforeSegment.map((path) => path.replace(/-[A-Z0-9]{8}\.js$/, '.js'))).toEqual([
			`/embed/${film.playbackId}`,
			`/v1/playback/${film.playbackId}/thumbnail`,
			'/player/embed.js',
			'/player/engine.js',
		])
		expect(all.filter((path) => path.endsWith('.m3u8'))).toEqual([])
		expect(opened.problems).toEqual([])
	})

	test('the player plays if the viewer clicked before the script of the page had arrived', async () => {
		const { promise: clicked, resolve } = Promise.withResolvers<void>()
		await using opened = await site.open(embed(), {
			async prepare(page) {
				await page.route('**/player/embed-*.js', async (route) => {
					await clicked
					await route.continue()
				})
				// Not awaited here: the page is not complete before its script has arrived.
				void page
					.locator('.start')
					.click({ noWaitAfter: true })
					.then(() => resolve())
			},
		})
		await untilVideo(opened.page, hasFrame)
	})

	test('the player contacts no other host, and sets no cookie and stores nothing before it plays', async () => {
		await using opened = await site.open(embed())
		await opened.page.hover('.start')
		await opened.page.waitForLoadState('networkidle')
		expect(
			opened.requests.filter(
				(request) => !request.url().startsWith(site.url) && !/^(blob|data):/.test(request.url()),
			),
		).toEqual([])
		expect(await opened.page.context().cookies()).toEqual([])
		expect(await opened.page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
	})

	test('the player plays to the end, and again from the beginning', async () => {
		await using opened = await site.open(embed(`?t=${SECONDS - 2}`))
		await opened.page.click('.start')
		await untilVideo(opened.page, 'video.ended')
		expect(await readVideo<number>(opened.page, 'video.currentTime')).toBeCloseTo(SECONDS, 0)
		await opened.page.getByRole('button', { name: 'Play again' }).click()
		await untilVideo(opened.page, '!video.ended && !video.paused')
	})

	test('the player begins at t, stops at end, and repeats that part with loop', async () => {
		await using stopping = await site.open(embed('?t=3&end=5'))
		await stopping.page.evaluate(
			`document.querySelector('video').addEventListener('playing', ({ target }) => { window.began = target.currentTime }, { once: true })`,
		)
		await stopping.page.click('.start')
		await untilVideo(stopping.page, 'video.paused && video.currentTime > 4.9')
		expect(await readVideo<number>(stopping.page, 'video.currentTime')).toBeLessThan(6)
		// Not `played`: after an early click, Chromium counts from 0 what it never showed.
		expect(await stopping.page.evaluate<number>('window.began')).toBeGreaterThan(2.5)

		await using looping = await site.open(embed('?t=3&end=4&loop&autoplay&muted'))
		await looping.page.evaluate(
			`window.repeats = 0; document.querySelector('video').addEventListener('seeked', (event) => { if (event.target.currentTime < 3.5) window.repeats++ })`,
		)
		await untilVideo(looping.page, 'window.repeats >= 2')
	})

	test('the player plays by itself without sound, and offers to turn the sound on', async () => {
		// Reading anything in the page counts as a click of its viewer, so the page itself reports when it plays.
		const { promise: playing, resolve } = Promise.withResolvers<void>()
		await using opened = await site.open(embed('?autoplay'), {
			async prepare(page) {
				await page.exposeBinding('reportPlaying', () => resolve())
				await page.addInitScript(`addEventListener('playing', () => reportPlaying(), { capture: true })`)
			},
		})
		await playing
		expect(await readVideo(opened.page, 'video.muted')).toBe(true)
		await opened.page.getByRole('button', { name: 'Turn on sound' }).click()
		expect(await readVideo(opened.page, 'video.muted')).toBe(false)
	})

	test('the player switches between audio tracks', async () => {
		await using opened = await site.open(embed())
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		const before = paths(opened.requests).length
		const other = (await listChoices(opened.page, 'Audio'))[1] ?? ''
		await chooseSetting(opened.page, ['Audio'], other)
		await opened.page.waitForRequest((request) => /\/a1\/\d+\.m4s$/.test(request.url()))
		expect(
			paths(opened.requests)
				.slice(before)
				.some((path) => path.endsWith('a1.m3u8')),
		).toBe(true)
	})

	test('the player plays the chosen quality, and shows the one that automatic quality plays', async () => {
		await using opened = await site.open(embed())
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		await openSettings(opened.page, 'Quality')
		const first = opened.page.getByRole('menuitemradio').first()
		await expect.poll(() => first.textContent()).toMatch(/^Auto \(\d+p\)$/)
		const shown = () => readChoice(opened.page, 'Quality')
		await chooseSetting(opened.page, ['Quality'], '240p')
		expect(await shown()).toBe('240p')
		await untilVideo(opened.page, 'video.videoHeight === 240')
		expect(await shown()).toBe('240p')
		await chooseSetting(opened.page, ['Quality'], '360p')
		await untilVideo(opened.page, 'video.videoHeight === 360')
	})

	test('the player gains qualities that are made while the page is open, and keeps the viewer’s choice', async () => {
		const both = withCaptions(await makeFilm(ffmpeg ?? '', ['h264', 'av1']))
		const master = Buffer.from(both.get('master.m3u8') ?? '').toString()
		const early = master.replaceAll(/#EXT-X-STREAM-INF:.*CODECS="av01.*\n.*\n/g, '')
		expect(early).not.toBe(master)
		const files = new Map([...both, ['master.m3u8', Buffer.from(early)]])
		const growing = await site.publish('Early', files, { storyboard_key: null })
		await using opened = await site.open(embed('', growing), { prepare: (page) => page.clock.install() })
		const { page } = opened
		const chosen = async () => {
			const names = ['Quality', 'Audio', 'Captions']
			const choices: (string | null)[] = []
			for (const name of names) choices.push(await readChoice(page, name))
			return choices
		}
		const qualities = () => listChoices(page, 'Quality')
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		expect((await qualities()).slice(1)).toEqual(['360p', '240p'])
		await chooseSetting(page, ['Quality'], '240p')
		await chooseSetting(page, ['Audio'], (await listChoices(page, 'Audio'))[1] ?? '')
		await chooseSetting(page, ['Captions'], 'Deutsch')
		const before = await chosen()
		await page.keyboard.press('Escape')
		await page.keyboard.press('2')
		// Below, 15 s pass at once for the page, and a request that is still open would time out.
		await untilVideo(page, `video.buffered.length > 0 && video.buffered.end(0) > ${SECONDS - 1}`)
		await site.store(growing, 'master.m3u8', Buffer.from(master))
		await page.clock.runFor(15_000)
		await expect.poll(qualities).toEqual(expect.arrayContaining(['360p AV1', '360p', '240p']))
		await expect.poll(chosen).toEqual(before)
		await untilVideo(page, `video.readyState > 1 && Math.abs(video.currentTime - ${SECONDS / 5}) < 0.5`)
		expect(await readVideo(page, 'video.videoHeight')).toBe(240)
		await chooseSetting(page, ['Quality'], '360p AV1')
		await page.keyboard.press('Escape')
		await page.keyboard.press('k')
		await untilVideo(page, 'video.videoHeight === 360')
	})

	test('the player shows captions in the chosen style, and keeps the style', async () => {
		await using opened = await site.open(embed('?cc=en', captioned))
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await expect.poll(() => page.locator('.captions').textContent()).toBe('First caption & more')
		await chooseSetting(page, ['Caption style', 'Color'], 'Yellow')
		expect(await page.evaluate('getComputedStyle(document.querySelector(".captions span")).color')).toBe(
			'rgb(255, 255, 0)',
		)
		await page.keyboard.press('Escape')
		await page.evaluate('document.activeElement.blur()')
		await page.keyboard.press('c')
		await expect.poll(() => page.locator('.captions').textContent()).toBe('')
		await page.reload()
		expect(await page.locator('.captions').getAttribute('class')).toContain('color-yellow')
	})

	test('the player shows captions again after they were off, in the language that was on', async () => {
		await using opened = await site.open(embed('?cc=de', captioned))
		const { page } = opened
		const shown = () => page.locator('.captions').textContent()
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await expect.poll(shown).toBe('First caption & more')
		for (let i = 0; i < 2; i++) {
			await page.keyboard.press('c')
			await expect.poll(shown).toBe('')
			await page.keyboard.press('c')
			await expect.poll(shown).not.toBe('')
		}
		expect(await readChoice(page, 'Captions')).toBe('Deutsch')
	})

	test('the player stays paused if the viewer pauses while it is still being loaded', async () => {
		const { promise: released, resolve: release } = Promise.withResolvers<void>()
		await using opened = await site.open(embed(), {
			prepare: (page) =>
				page.route('**/player/engine-*.js', async (route) => {
					await released
					await route.continue()
				}),
		})
		const { page } = opened
		await page.click('.start')
		await page.keyboard.press('k')
		const arrived = page.waitForResponse((response) => /\/player\/engine-/.test(response.url()))
		release()
		await arrived
		await untilVideo(page, 'video.src !== ""')
		expect(await readVideo(page, 'video.paused')).toBe(true)
		await page.keyboard.press('k')
		await untilVideo(page, `${hasFrame} && !video.paused`)
	})

	test('the player seeks to the beginning at once although it was opened at a later position', async () => {
		const shownSec = async ({ page }: OpenPage) => Number(await page.locator('.seek-input').inputValue())
		await using before = await site.open(embed('?t=8'))
		await before.page.locator('.controls').waitFor({ state: 'attached' })
		await before.page.keyboard.press('0')
		await expect.poll(() => shownSec(before)).toBe(0)
		await before.page.click('.start')
		await untilVideo(before.page, hasFrame)
		expect(await readVideo<number>(before.page, 'video.currentTime')).toBeLessThan(5)

		const { promise: released, resolve: release } = Promise.withResolvers<void>()
		let requests = 0
		await using during = await site.open(embed('?t=8'), {
			prepare: (page) =>
				page.route('**/h264-*/*.m4s', async (route) => {
					requests++
					await released
					await route.continue()
				}),
		})
		await during.page.click('.start')
		await untilVideo(during.page, 'video.src !== ""')
		await expect.poll(() => requests).toBeGreaterThan(0)
		await during.page.keyboard.press('0')
		await expect.poll(() => shownSec(during)).toBe(0)
		release()
		await untilVideo(during.page, hasFrame)
		expect(await readVideo<number>(during.page, 'video.currentTime')).toBeLessThan(5)
	})

	test('the player begins shortly before the end if the address names a later position', async () => {
		await using opened = await site.open(embed('?t=99999'))
		await opened.page.click('.start')
		await untilVideo(opened.page, 'video.ended')
	})

	test('the player prefers the address to earlier choices of the viewer', async () => {
		await using opened = await site.open(embed())
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('m')
		await page.keyboard.press('<')
		const state = () => readVideo(page, '[video.muted, video.playbackRate]')
		const chosen = await state()
		expect(chosen).toEqual([true, 0.75])
		await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).toContain('0.75')
		await page.goto(site.url + embed())
		await page.locator('.controls').waitFor({ state: 'attached' })
		expect(await state()).toEqual(chosen)
		await page.goto(site.url + embed('?muted=0&speed=1'))
		await page.locator('.controls').waitFor({ state: 'attached' })
		expect(await state()).toEqual([false, 1])
	})

	test('the player offers to continue where an earlier visit ended', async () => {
		await using opened = await site.open(embed('?t=11'))
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 12')
		await page.keyboard.press('k')
		await page.goto(site.url + embed())
		await page.getByRole('button', { name: /^Continue at 0:1\d$/ }).click()
		await untilVideo(page, `${hasFrame} && video.currentTime > 11`)
	})

	test('the player plays a signed video with its token alone', async () => {
		const signed = await site.publish('Signed')
		const options = { token: site.token }
		await site.call(updateAsset, { params: { assetId: signed.id }, body: { visibility: 'signed' } }, options)
		const { data } = await site.call(
			createPlaybackToken,
			{ params: { assetId: signed.id }, body: { audience: 'v' } },
			options,
		)
		await using opened = await site.open(embed(`?token=${data.token}`, signed))
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		await using without = await site.open(embed('', signed))
		expect(await without.page.getByRole('heading').textContent()).toBe('This video needs a valid link')
	})
})

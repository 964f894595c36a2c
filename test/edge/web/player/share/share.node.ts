import { beforeAll, describe, expect, test } from 'vitest'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { openSettings } from '../controls/settings.node.ts'
import { SECONDS } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

describe('the share dialog', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Shared')
	})

	test('the share dialog of the watch page has a start time that viewers can edit, and a QR code of the link', async () => {
		await using opened = await site.open(`/watch/${film.playbackId}?t=7`)
		const { page } = opened
		await page.getByRole('button', { name: 'Share' }).click()
		const dialog = page.getByRole('dialog', { name: 'Share' })
		const link = dialog.getByRole('textbox', { name: 'Link' })
		const url = `${site.url}/watch/${film.playbackId}`
		await expect.poll(() => link.inputValue()).toBe(url)
		const drawing = () =>
			dialog.getByRole('img', { name: 'QR code of the link' }).locator('path').getAttribute('d')
		const withoutStart = await drawing()
		expect(withoutStart?.length).toBeGreaterThan(1_000)
		const time = dialog.getByRole('textbox', { name: 'Start time' })
		expect(await time.inputValue()).toBe('0:07')
		for (const [typed, expected] of [
			['0:03', `${url}?t=3`],
			['soon', url],
			['9:00:00', `${url}?t=${SECONDS}`],
			['5', `${url}?t=5`],
		] as const) {
			await time.fill(typed)
			expect(await link.inputValue(), typed).toBe(expected)
			expect(await time.getAttribute('aria-invalid')).toBe(String(typed === 'soon'))
		}
		expect(await drawing()).not.toBe(withoutStart)
		expect(await dialog.getByRole('textbox', { name: 'Code' }).inputValue()).toContain(
			`/embed/${film.playbackId}?t=5"`,
		)
		await dialog.getByRole('checkbox').uncheck()
		expect([await link.inputValue(), await drawing()]).toEqual([url, withoutStart])
		expect(opened.problems).toEqual([])
	})

	test('the settings of an embedded player open the share dialog, which fits a frame of 320 px', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}?lang=en`, {
			viewport: { width: 320, height: 180 },
		})
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		await openSettings(page)
		await page.getByRole('menuitem', { name: 'Share' }).click()
		const dialog = page.getByRole('dialog', { name: 'Share' })
		expect(await dialog.getByRole('textbox', { name: 'Link' }).inputValue()).toBe(
			`${site.url}/watch/${film.playbackId}?lang=en`,
		)
		const { x = -1, y = -1, width = 0, height = 0 } = (await dialog.boundingBox()) ?? {}
		expect([x >= 0, y >= 0, x + width <= 320, y + height <= 180]).toEqual([true, true, true, true])
		expect((await dialog.getByText('Shared').boundingBox())?.width).toBeGreaterThan(60)
		expect(await dialog.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
		await dialog.getByRole('button', { name: 'Close' }).click()
		expect(await dialog.isVisible()).toBe(false)
		expect(opened.problems).toEqual([])
	})

	test('an embedded signed video has no share dialog, because its address needs a token', async () => {
		const signed = await site.publish('Signed')
		await site.call(
			updateAsset,
			{ params: { assetId: signed.id }, body: { visibility: 'signed' } },
			{ token: site.token },
		)
		const html = await (await fetch(`${site.url}/embed/${film.playbackId}`)).text()
		expect(html).toContain(`"watchUrl"`)
		const hidden = await (await fetch(`${site.url}/embed/${signed.playbackId}`)).text()
		expect(hidden).not.toContain(`"watchUrl"`)
	})
})

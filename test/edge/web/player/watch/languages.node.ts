import { beforeAll, describe, expect, test } from 'vitest'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { accessibilityProblems } from '../../../../support/node/accessibility.ts'
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

describe('the player from right to left', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('فيلم قصير عن البحر')
		await site.call(
			updateAsset,
			{ params: { assetId: film.id }, body: { description: 'عن البحر\n0:00 Start\n0:05 Middle\n0:11 End' } },
			{ token: site.token },
		)
	})

	test.each([
		['ar', 320],
		['fa', 1_280],
		['he', 320],
	])('the watch page in %s fits %d px, mirrors its controls and passes axe', async (language, width) => {
		await using opened = await site.open(`/watch/${film.playbackId}?lang=${language}`, {
			viewport: { width, height: 800 },
		})
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		const xOf = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0
		expect(await xOf('.row > :last-child')).toBeLessThan(await xOf('.row > :first-child'))
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
		await page.locator('.controls [aria-haspopup="menu"]').click()
		const { x = -1, width: menuWidth = 0 } = (await page.getByRole('menu').boundingBox()) ?? {}
		expect([x >= 0, x + menuWidth <= width]).toEqual([true, true])
		expect(await accessibilityProblems(page)).toEqual([])
		expect(opened.problems).toEqual([])
	})
})

import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { pageWith, publishSigned } from '../customer-site.node.ts'
import { ffmpeg } from '../player-site.node.ts'
import { captureReports } from './player-reports.node.ts'
import { OFTEN, useReportingPages } from './reporting-pages.node.ts'

/** Names the controls that the number of viewers covers, or that lie outside of the bar. */
const overlapsOfLiveCount = `(() => {
	const bar = document.querySelector('.controls').getBoundingClientRect()
	const space = document.querySelector('.space').getBoundingClientRect()
	const { top } = document.querySelector('.live').getBoundingClientRect()
	const live = document.querySelector('.live').getBoundingClientRect()
	const isShown = top < space.bottom - 1
	return [...document.querySelectorAll('.controls .row > *:not(.space)')]
		.map((each) => [each.className, each.getBoundingClientRect()])
		.filter(([, box]) => box.width > 0)
		.filter(([, box]) => box.left < bar.left || box.right > bar.right || (isShown && box.left < live.right - 1 && box.right > live.left + 1))
		.map(([name]) => name)
})()`

describe('the number of viewers in the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	const { shared, open } = useReportingPages()

	test('the player shows the number of viewers, and nothing if it is unknown', async () => {
		let live: number | null = 1_234
		await using opened = await open(`/watch/${shared.film.playbackId}?lang=de`, () => ({ ...OFTEN, live }))
		const { page } = opened
		await page.setViewportSize({ width: 1_280, height: 900 })
		const shown = page.locator('.live')
		await shown.waitFor({ state: 'attached' })
		expect(await shown.isHidden()).toBe(true)
		await page.click('.start')
		await page.locator('.live-text').getByText('1.234 sehen zu').waitFor()
		expect(opened.latest()?.player).toBe('watch')
		expect(
			await shown.evaluate((each) => each.closest('[aria-live], [role=status], [role=alert]')),
		).toBeNull()
		await page.setViewportSize({ width: 600, height: 900 })
		await page.locator('.live-number').getByText('1.234', { exact: true }).waitFor()
		for (const width of [240, 320, 360, 480, 600, 720, 800])
			for (const dir of ['ltr', 'rtl']) {
				await page.setViewportSize({ width, height: 900 })
				await page.evaluate(`document.documentElement.dir = '${dir}'`)
				expect(await page.evaluate(overlapsOfLiveCount), `${width} ${dir}`).toEqual([])
			}
		live = 1
		await expect.poll(() => shown.isHidden()).toBe(true)
		live = 2
		await expect.poll(() => shown.getAttribute('aria-label')).toBe('2 sehen zu')
		live = null
		await expect.poll(() => shown.isHidden()).toBe(true)
	})

	test.each([
		{ situation: 'in a sandboxed frame', attributes: 'sandbox="allow-scripts"', origin: 'null' },
		{
			situation: 'where storage is forbidden',
			script: `for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
				Object.defineProperty(window, name, {
					get() {
						throw new DOMException('forbidden', 'SecurityError')
					},
				})`,
		},
	])('the player reports $situation, and passes the number of viewers on to the site', async (each) => {
		const { signed, newToken } = await publishSigned(shared.site)
		const token = await newToken(3_600)
		const { attributes = '', script = '' } = each
		const frame = `<iframe src="${shared.site.url}/embed/${signed.playbackId}?muted&token=${token}" width="640" height="360" allow="autoplay" ${attributes}></iframe>`
		let captured: Awaited<ReturnType<typeof captureReports>> | undefined
		await using opened = await shared.customer.open(pageWith(frame), {
			script,
			prepare: async (page) => {
				captured = await captureReports(page, () => ({ live: 12 }))
			},
		})
		const { page, problems } = opened
		await expect.poll(() => page.evaluate('messages.some(({ event }) => event === "ready")')).toBe(true)
		await page.evaluate(
			'send({ context: "player.js", method: "addEventListener", value: "livecount" }); send({ context: "player.js", method: "play" })',
		)
		await expect
			.poll(() => page.evaluate('messages.find(({ event }) => event === "livecount")'))
			.toMatchObject({ value: { count: 12 } })
		expect(captured?.reports[0]).toMatchObject({
			kind: 'view_start',
			viewerToken: token,
			referrer: new URL(page.url()).origin,
			...(each.origin && { origin: each.origin }),
		})
		expect(problems).toEqual([])
	})
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { PlayerEvent } from '../../../../../schema/contract/watch/analytics/player-events.ts'
import { type CustomerSite, openCustomerSite } from '../customer-site.node.ts'
import { type Film, type PlayerSite, sharePlayerSite } from '../player-site.node.ts'
import { captureReports, type ReportAnswer } from './player-reports.node.ts'

/** The shortest interval. */
export const OFTEN: ReportAnswer = { nextBeatMs: 1_000 }

/** Counts how often playing stopped for lack of data: a busy machine stalls by itself. */
const countStalls = `
	window.stalls = 0
	let isPlaying = false
	addEventListener('playing', () => (isPlaying = true), true)
	addEventListener('seeking', () => (isPlaying = false), true)
	addEventListener('waiting', ({ target }) => {
		if (isPlaying && !target.seeking) window.stalls++
	}, true)`

/** Opens the pages of one film for the tests of a suite, and captures what they report. */
export function useReportingPages() {
	const shared = {} as { site: PlayerSite; film: Film; customer: CustomerSite }
	beforeAll(async () => {
		shared.site = await sharePlayerSite()
		shared.film = await shared.site.publish('Film')
		shared.customer = await openCustomerSite(shared.site)
	})
	afterAll(() => void shared.customer?.close())

	return {
		shared,
		async open(
			path = `/embed/${shared.film.playbackId}`,
			answer: (event: PlayerEvent) => ReportAnswer = () => ({}),
			prepare: (page: Page) => Promise<unknown> = async () => undefined,
		) {
			let captured: Awaited<ReturnType<typeof captureReports>> | undefined
			const opened = await shared.site.open(path, {
				async prepare(page) {
					await page.addInitScript(countStalls)
					captured = await captureReports(page, answer)
					await prepare(page)
				},
			})
			if (!captured) throw new Error('nothing is captured')
			const stalls = () => opened.page.evaluate<number>('stalls')
			return Object.assign(opened, captured, { stalls })
		},
	}
}

/** Makes the page report at once, as when the viewer goes to another tab. */
export const hide = (page: Page) =>
	page.evaluate(`{
		Object.defineProperty(document, 'hidden', { value: true, configurable: true })
		document.dispatchEvent(new Event('visibilitychange'))
		delete document.hidden
	}`)

export const leave = (page: Page, persisted: boolean) =>
	page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: ${persisted} }))`)

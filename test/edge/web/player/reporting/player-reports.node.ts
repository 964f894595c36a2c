import type { BrowserContext, Page, Route } from 'playwright-core'
import type { z } from 'zod'
import {
	type EventProblemCode,
	PlayerEvent,
	type sendPlayerEvents,
} from '../../../../../schema/contract/watch/analytics/player-events.ts'

const EVENTS = '**/v1/analytics/events'

type Answer = z.infer<typeof sendPlayerEvents.response>['data']

export type Report = PlayerEvent & {
	/** `ping` for a beacon. */
	way: string
	contentType: string | undefined
	origin: string | undefined
	viewerToken: string | undefined
}

/** The answer of the server about a session. Only 202 has a body. */
export type ReportAnswer = {
	status?: number
	problem?: EventProblemCode
	nextBeatMs?: number
	live?: number | null
}

/** Takes the reports of a page, and answers them as in the contract. */
export async function captureReports(
	target: Page | BrowserContext,
	answer: (event: PlayerEvent) => ReportAnswer = () => ({}),
) {
	const reports: Report[] = []
	await target.route(EVENTS, async (route) => {
		const request = route.request()
		const { events, viewerToken } = JSON.parse(request.postData() ?? '{}')
		const headers = await request.allHeaders()
		const event = PlayerEvent.parse(events?.[0])
		reports.push({
			...event,
			viewerToken,
			way: request.resourceType(),
			contentType: headers['content-type'],
			origin: headers.origin,
		})
		await respond(route, event.sessionId, answer(event))
	})
	return {
		reports,
		latest: () => reports.at(-1),
		state: () => reports.at(-1)?.state,
	}
}

async function respond(
	route: Route,
	sessionId: string,
	{ status = 202, problem, nextBeatMs = 600_000, live = null }: ReportAnswer,
): Promise<void> {
	const session = { sessionId, token: `token-of-${sessionId}`, nextBeatMs, live }
	const data: Answer = problem
		? { accepted: 0, rejected: 1, problems: [{ index: 0, code: problem, message: 'rejected' }], sessions: [] }
		: { accepted: 1, rejected: 0, problems: [], sessions: [session] }
	await route.fulfill({
		status,
		headers: { 'access-control-allow-origin': '*' },
		...(status === 202 && { json: { data } }),
	})
}

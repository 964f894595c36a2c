import type { EventProblemCode, SentPlayerEvent } from '#schema/contract/video/analytics/player-events.ts'

const PATH = '/v1/analytics/events'
const TIMEOUT_MS = 15_000

export type ReportedEvent = Pick<
	SentPlayerEvent,
	'kind' | 'playbackId' | 'sessionId' | 'state' | 'token' | 'player' | 'preview' | 'referrer' | 'reportId'
>

type EventProblem = { code: EventProblemCode }

/** The server's answer for one session. */
export type SessionAnswer = { sessionId: string; token: string; nextBeatMs: number; live: number | null }

export type Answer = {
	status: number
	/** How long the server asks to wait; null if it doesn't. */
	retryAfterMs: number | null
	sessions: readonly SessionAnswer[]
	/** Whether the server has closed the session. */
	isOver: boolean
}

/**
 * Sends events, and returns the answer. Rejects without one. The text is sent as text/plain, because a sandboxed frame
 * would have to ask before it sends JSON.
 */
export async function postEvents(body: string): Promise<Answer> {
	const response = await fetch(PATH, {
		method: 'POST',
		body,
		// The last ones must arrive also if the page is closed at once.
		keepalive: true,
		signal: AbortSignal.timeout(TIMEOUT_MS),
	})
	const answer = response.ok ? await response.json().catch(() => null) : null
	return {
		status: response.status,
		retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
		sessions: answer?.data?.sessions ?? [],
		isOver: (answer?.data?.problems ?? []).some(({ code }: EventProblem) => code === 'session_over'),
	}
}

/** Sends events of a page that is being closed. Nobody hears the answer. */
export function postOnLeaving(body: string): void {
	let isSent = false
	try {
		isSent = navigator.sendBeacon(PATH, body)
	} catch {
		// Some content blockers take the function away.
	}
	if (!isSent) fetch(PATH, { method: 'POST', body, keepalive: true }).catch(() => undefined)
}

/** Reads seconds or a date. */
export function readRetryAfter(text: string | null, now = Date.now()): number | null {
	if (text === null) return null
	const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
	return Number.isFinite(ms) ? Math.max(0, ms) : null
}

import type { EventProblemCode, SentPlayerEvent } from '#schema/contract/watch/analytics/player-events.ts'

const PATH = '/v1/analytics/events'
const TIMEOUT_MS = 15_000

export type ReportedEvent = Pick<
	SentPlayerEvent,
	'kind' | 'playbackId' | 'sessionId' | 'state' | 'token' | 'player' | 'preview' | 'referrer' | 'reportId'
>

type SessionAnswer = { token: string; nextBeatMs: number; live: number | null }

export type Answer = {
	status: number
	/** How long the server asks to wait; null if it doesn't. */
	retryAfterMs: number | null
	/** Set if the server accepted the event. */
	accepted: SessionAnswer | undefined
	/** Why the server rejected the event. */
	problem: EventProblemCode | undefined
}

/**
 * Sends an event, and returns the response. Rejects without one. Uses text/plain, because JSON from a sandboxed frame
 * would need a preflight.
 */
export async function postEvent(body: string): Promise<Answer> {
	const response = await fetch(PATH, {
		method: 'POST',
		body,
		// Delivers the last report even if the page closes.
		keepalive: true,
		signal: AbortSignal.timeout(TIMEOUT_MS),
	})
	const { data } = (response.ok && (await response.json().catch(() => null))) || {}
	return {
		status: response.status,
		retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
		accepted: data?.sessions?.[0],
		problem: data?.problems?.[0]?.code,
	}
}

/** Sends an event of a page that is being closed. The response can't be read. */
export function postOnLeaving(body: string): void {
	let isSent = false
	try {
		isSent = navigator.sendBeacon(PATH, body)
	} catch {
		// Some content blockers remove the function.
	}
	if (!isSent) fetch(PATH, { method: 'POST', body, keepalive: true }).catch(() => undefined)
}

/** Reads seconds or a date. */
export function readRetryAfter(text: string | null, now = Date.now()): number | null {
	if (text === null) return null
	const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
	return Number.isFinite(ms) ? Math.max(0, ms) : null
}

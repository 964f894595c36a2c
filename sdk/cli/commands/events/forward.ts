import { createHmac } from 'node:crypto'
import { pause } from '../../../src/retry.ts'
import type { EventLine } from './print-event.ts'

export type Delivery = {
	event: string
	sequence: number
	type: string
	status: number | null
	durationMs: number
}

/** As the server does. */
const TIMEOUT_MS = 15_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const RETRIED = [408, 429]

/** Signs a body as the server does (standardwebhooks.com). */
export function signEvent(secret: string, id: string, seconds: number, body: string): string {
	const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
	return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}

/**
 * Sends an event until the receiver answers, and reports each attempt. Returns false if the signal ended the attempts: the
 * event may not have arrived then.
 */
export async function forwardEvent(
	target: string,
	secret: string,
	event: EventLine,
	signal: AbortSignal,
	report: (delivery: Delivery) => void,
): Promise<boolean> {
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
		const startedMs = performance.now()
		const status = await attempt(target, secret, event, signal)
		if (signal.aborted && status === null) return false
		const durationMs = Math.round(performance.now() - startedMs)
		report({ event: event.id, sequence: event.sequence, type: event.type, status, durationMs })
		if (!isRetried(status)) return true
		if (!(await pause(pauseMs, signal))) return false
	}
}

/** Without an answer, or with one of these, the receiver is restarting or busy. */
export const isRetried = (status: number | null): boolean =>
	status === null || status >= 500 || RETRIED.includes(status)

async function attempt(
	target: string,
	secret: string,
	event: EventLine,
	signal: AbortSignal,
): Promise<number | null> {
	const body = JSON.stringify(event)
	const seconds = Math.floor(Date.now() / 1000)
	try {
		const response = await fetch(target, {
			method: 'POST',
			body,
			redirect: 'manual',
			signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
			headers: {
				'content-type': 'application/json',
				'user-agent': 'Playhouse-Webhooks/1',
				'webhook-id': event.id,
				'webhook-timestamp': String(seconds),
				'webhook-signature': signEvent(secret, event.id, seconds, body),
			},
		})
		await response.body?.cancel()
		return response.status
	} catch {
		return null
	}
}

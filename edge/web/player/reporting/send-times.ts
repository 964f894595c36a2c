const FIRST_INTERVAL_MS = 10_000
const MIN_INTERVAL_MS = 1_000
const MAX_INTERVAL_MS = 3_600_000
const MAX_BACKOFF_MS = 300_000
const JITTER = 0.1

export type SendTimesOptions = {
	/** Monotonic milliseconds. */
	now: () => number
	/** A number from 0 to less than 1. */
	random: () => number
}

/** Decides how long to wait before the next beat. */
export function openSendTimes({ now, random }: SendTimesOptions) {
	let intervalMs = FIRST_INTERVAL_MS
	let failures = 0
	let notBefore = Number.NEGATIVE_INFINITY
	const jittered = () => intervalMs * (1 + JITTER * (2 * random() - 1))

	return {
		accepted(nextBeatMs: number | undefined): void {
			failures = 0
			notBefore = Number.NEGATIVE_INFINITY
			if (nextBeatMs === undefined || !Number.isFinite(nextBeatMs)) return
			intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, nextBeatMs))
		},
		/**
		 * Waits for as long as the server asks, or else twice as long each time. Then, players come back at different times.
		 */
		refused(retryAfterMs: number | null): void {
			failures++
			const backoffMs = Math.min(MAX_BACKOFF_MS, intervalMs * 2 ** failures)
			const waitMs = Math.max(jittered(), Math.min(MAX_INTERVAL_MS, retryAfterMs ?? backoffMs))
			notBefore = now() + waitMs + JITTER * intervalMs * random()
		},
		/** Whether the server asked for no requests now. */
		isBackingOff: (): boolean => now() < notBefore,
		/** Milliseconds until the next beat. */
		nextMs: (): number => (now() < notBefore ? notBefore - now() : jittered()),
	}
}

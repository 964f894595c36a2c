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
	let notBefore = 0
	const jittered = (ms: number) => ms * (1 + JITTER * (2 * random() - 1))
	/** Twice as long each time, up to a limit. */
	const intervalAfter = (tries: number) =>
		Math.max(intervalMs, Math.min(MAX_BACKOFF_MS, intervalMs * 2 ** tries))
	const isBackingOff = () => now() < notBefore

	return {
		accepted(nextBeatMs: number | undefined): void {
			failures = 0
			notBefore = 0
			intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, nextBeatMs ?? intervalMs))
		},
		/** Waits as the server asks, or else twice as long each time, so that players return at different times. */
		refused(retryAfterMs: number | null): void {
			// Several reports may be refused at the same time.
			if (!isBackingOff()) failures++
			const askedMs = Math.min(MAX_INTERVAL_MS, retryAfterMs ?? intervalAfter(failures))
			const waitMs = Math.max(jittered(intervalMs), askedMs)
			notBefore = Math.max(notBefore, now() + waitMs + JITTER * intervalMs * random())
		},
		/** Whether the server asked for no requests now. */
		isBackingOff,
		/** Milliseconds until the next report, or until one that was sent this often is repeated. */
		nextMs: (tries: number): number => (isBackingOff() ? notBefore - now() : jittered(intervalAfter(tries))),
	}
}

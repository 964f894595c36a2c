import { type Backoff, computeBackoffMs } from './backoff.ts'
import type { Sleep } from './time.ts'

export type RetryPolicy = {
	maxTries: number
	backoff: Backoff
	isRetryable(error: unknown): boolean
	/** Replaces the delay after this error; 0 retries at once. */
	delayMs?(error: unknown, defaultMs: number): number
}

export type Retrying = RetryPolicy & {
	/** Called before each try; its errors end the retries. */
	beforeTry?(): void
	/** Called once a retry is decided; its errors end the retries. */
	beforeRetry?(error: unknown): Promise<void>
	/** Converts the error of the last try. */
	toFinalError?(error: unknown): unknown
	sleep: Sleep
	random(): number
	signal: AbortSignal
}

/** Returns how long to wait after a failed try; null if another try can't help or is not allowed. */
export function retryDelayMs(
	error: unknown,
	tries: number,
	{ maxTries, backoff, isRetryable, delayMs = (_error, defaultMs) => defaultMs }: RetryPolicy,
	random: () => number,
): number | null {
	if (tries >= maxTries || !isRetryable(error)) return null
	return delayMs(error, computeBackoffMs(tries, backoff, random))
}

/** Calls `work` until it succeeds or its error is final. Rejects with the signal's reason once that is aborted. */
export async function withRetries<T>(
	work: () => Promise<T>,
	{ beforeTry, beforeRetry, toFinalError = (error) => error, sleep, random, signal, ...policy }: Retrying,
): Promise<T> {
	for (let tries = 1; ; tries++) {
		beforeTry?.()
		signal.throwIfAborted()
		try {
			return await work()
		} catch (error) {
			signal.throwIfAborted()
			const ms = retryDelayMs(error, tries, policy, random)
			if (ms === null) throw toFinalError(error)
			await beforeRetry?.(error)
			if (ms > 0) await sleep(ms, signal)
		}
	}
}

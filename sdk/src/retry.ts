import { ConnectionError, type PlayhouseError } from './errors.ts'

/** The longest `Retry-After` that is honored. With a longer one, the call fails at once. */
const MAX_PAUSE_SEC = 60
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000
const RETRIED = [408, 429, 500, 502, 503, 504]

/**
 * Returns how long to wait before a retry, or undefined without a retry. `tries` is the number of failed tries. Only for
 * calls that are safe to repeat.
 */
export function choosePauseMs(
	error: unknown,
	tries: number,
	retries: number,
	random = Math.random(),
): number | undefined {
	const { status = 0, code, retryAfterSec: seconds } = error as Partial<PlayhouseError>
	const isMomentary =
		error instanceof ConnectionError || RETRIED.includes(status) || code === 'request_in_flight'
	if (tries > retries || !isMomentary || (seconds ?? 0) > MAX_PAUSE_SEC) return undefined
	if (typeof seconds === 'number') return seconds * 1000
	return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS) * (0.5 + random / 2)
}

/** Waits. Returns false as soon as the signal is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<boolean> =>
	new Promise((resolve) => {
		const end = (isOver: boolean) => {
			clearTimeout(timer)
			signal?.removeEventListener('abort', stop)
			resolve(isOver)
		}
		const stop = () => end(false)
		const timer = setTimeout(end, ms, true)
		signal?.addEventListener('abort', stop)
		if (signal?.aborted) stop()
	})

import { uptime } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** Resolves after `ms`, or as soon as the signal is aborted; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleep: Sleep = async (ms, signal) => {
	try {
		await wait(ms, undefined, { signal })
	} catch {
		// The signal ended the wait early, as intended.
	}
}

/**
 * Returns the milliseconds of a clock that can't be set. On Linux it is the system's uptime, which continues while the
 * machine is suspended, as leases do.
 */
export const monotonicMs = (): number =>
	process.platform === 'linux' ? Math.round(uptime() * 1_000) : performance.now()

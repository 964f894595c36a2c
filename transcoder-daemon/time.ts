import { uptime } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** Ends after `ms`, or as soon as the signal is aborted; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleep: Sleep = async (ms, signal) => {
	try {
		await wait(ms, undefined, { signal })
	} catch {
		// Woken early: that is what the signal is for.
	}
}

/**
 * Milliseconds that nobody sets back or forward. On Linux those of the system's uptime, which goes on while the
 * machine is suspended: a lease goes on, too.
 */
export const monotonicMs = (): number =>
	process.platform === 'linux' ? Math.round(uptime() * 1_000) : performance.now()

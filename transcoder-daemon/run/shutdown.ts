import type { Log } from '../log.ts'

export type Shutdown = {
	/** Claim nothing more, finish running tasks, sign off. */
	drain: AbortSignal
	/** Stop at once. */
	abort: AbortSignal
	/** The signal that came last, for the exit status. */
	signal(): 'SIGINT' | 'SIGTERM' | null
}

/** Drains on the first SIGTERM or SIGINT, aborts on the second. */
export function listenForShutdown(target: NodeJS.EventEmitter, log: Log): Shutdown {
	const drain = new AbortController()
	const abort = new AbortController()
	let last: 'SIGINT' | 'SIGTERM' | null = null
	for (const name of ['SIGTERM', 'SIGINT'] as const)
		target.on(name, () => {
			last = name
			if (drain.signal.aborted) {
				log.warn('stopping at once', { signal: name })
				abort.abort()
			} else {
				log.info('draining; a second signal stops at once', { signal: name })
				drain.abort()
			}
		})
	return { drain: drain.signal, abort: abort.signal, signal: () => last }
}

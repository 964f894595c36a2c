import type { Log } from './log.ts'

export type Shutdown = {
	/** Take nothing new, finish, sign off. */
	drain: AbortSignal
	/** Stop at once. */
	abort: AbortSignal
	/** The signal that came last, for the exit status. */
	signal(): 'SIGINT' | 'SIGTERM' | null
}

/** The first SIGTERM or SIGINT drains, the second aborts. */
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

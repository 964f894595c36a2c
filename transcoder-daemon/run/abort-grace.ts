import type { Log } from '../log.ts'

/** How long an aborted task may take to end. */
const ABORT_GRACE_MS = 10_000

/** Rejects some time after the signal, so that a task that ignores it can't hold a slot forever. */
export async function withAbortGrace<T>(signal: AbortSignal, work: Promise<T>, log: Log): Promise<T> {
	const { promise, reject } = Promise.withResolvers<never>()
	let timer: NodeJS.Timeout | undefined
	const onAbort = () => {
		timer = setTimeout(() => {
			log.error('a task ignored its abort signal; it is abandoned')
			reject(signal.reason)
		}, ABORT_GRACE_MS)
	}
	signal.addEventListener('abort', onAbort, { once: true })
	try {
		return await Promise.race([work, promise])
	} finally {
		clearTimeout(timer)
		signal.removeEventListener('abort', onAbort)
	}
}

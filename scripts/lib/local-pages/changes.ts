import { randomUUID } from 'node:crypto'

/** Shorter than the response timeouts of browsers and of the runtime. */
const MAX_WAIT_MS = 20_000

/** A version number that pages long-poll. With a stream, the runtime would not report that a browser has left. */
export type Changes = {
	version(): string
	announce(): void
	/** Resolves with the version as soon as it differs from `after`, or with the unchanged version after a timeout. */
	next(after: string): Promise<string>
	/** Answers all waiting requests. */
	close(): void
}

export function openChanges(maxWaitMs = MAX_WAIT_MS): Changes {
	// A new id per process, so that pages reload after a restart.
	const run = randomUUID()
	let count = 0
	let isClosed = false
	const waiting = new Set<() => void>()
	const version = () => `${run}.${count}`
	const wake = () => {
		for (const resolve of waiting) resolve()
	}
	return {
		version,
		announce() {
			count++
			wake()
		},
		async next(after) {
			if (isClosed || after !== version()) return version()
			await new Promise<void>((resolve) => {
				const finish = () => {
					clearTimeout(timer)
					waiting.delete(finish)
					resolve()
				}
				const timer = setTimeout(finish, maxWaitMs)
				waiting.add(finish)
			})
			return version()
		},
		close() {
			isClosed = true
			wake()
		},
	}
}

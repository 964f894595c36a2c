/** Nothing came for too long. */
export class IdleError extends Error {
	override name = 'IdleError'
}

export type IdleWatch = Disposable & {
	/** Aborted, with an IdleError, when `touch` was not called for a while. */
	signal: AbortSignal
	touch(): void
	/** What follows is our own time, until the next touch. */
	rest(): void
}

export function watchIdle(ms: number): IdleWatch {
	const controller = new AbortController()
	let isResting = false
	const timer = setTimeout(() => {
		if (!isResting) controller.abort(new IdleError(`nothing came for ${ms / 1_000} s`))
	}, ms)
	return {
		signal: controller.signal,
		touch() {
			isResting = false
			timer.refresh()
		},
		rest() {
			isResting = true
		},
		[Symbol.dispose]: () => clearTimeout(timer),
	}
}

/** No data arrived for too long. */
export class IdleError extends Error {
	override name = 'IdleError'
}

export type IdleWatch = Disposable & {
	/** Aborted with an IdleError when `touch` was not called in time. */
	signal: AbortSignal
	touch(): void
	/** Stops the clock until the next `touch`, while the daemon itself is the slow side. */
	pause(): void
}

export function watchIdle(ms: number): IdleWatch {
	const controller = new AbortController()
	let isPaused = false
	const timer = setTimeout(() => {
		if (!isPaused) controller.abort(new IdleError(`no data for ${ms / 1_000} s`))
	}, ms)
	return {
		signal: controller.signal,
		touch() {
			isPaused = false
			timer.refresh()
		},
		pause() {
			isPaused = true
		},
		[Symbol.dispose]: () => clearTimeout(timer),
	}
}

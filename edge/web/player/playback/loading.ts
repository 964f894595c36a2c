import type Hls from 'hls.js'
import type { Position } from './position.ts'

export type Loading = ReturnType<typeof controlLoading>

/** Starts and stops the loading of segments. */
export function controlLoading(hls: Hls, position: Position) {
	let timer: number | undefined
	let startedAtSec = 0
	const start = () => {
		startedAtSec = position.sec()
		hls.startLoad(startedAtSec)
	}
	const stop = () => {
		window.clearTimeout(timer)
		hls.stopLoad()
	}
	return {
		/** Where loading began. */
		startedAtSec: () => startedAtSec,
		start,
		stop,
		/**
		 * Stops loading and restarts at the position, in a later task: hls.js handles aborts in microtasks, and would
		 * drop a new request for the same segment.
		 */
		restart() {
			stop()
			timer = window.setTimeout(start)
		},
	}
}

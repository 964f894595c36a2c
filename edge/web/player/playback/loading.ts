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
		 * Stops what is being loaded, and starts at the position. It starts a little later: hls.js hears of aborted requests
		 * in microtasks, and would then drop a new request for the same segment.
		 */
		restart() {
			stop()
			timer = window.setTimeout(start)
		},
	}
}

import type { Readable } from 'node:stream'

/** Where ffmpeg says it is. Of many outputs it is the first that is meant. */
export type Progress = { frames: number; outTimeSec: number }

/** `key=value` lines in blocks, each ended by `progress=continue`, the last by `progress=end`. */
export async function readProgress(
	stream: Readable,
	tell: (progress: Progress) => void,
): Promise<{ progress: Progress; isEnded: boolean }> {
	let progress: Progress = { frames: 0, outTimeSec: 0 }
	let isEnded = false
	let rest = ''
	for await (const chunk of stream) {
		const lines = (rest + String(chunk)).split('\n')
		// A line that never ends is no progress; what is kept of it stays small.
		rest = (lines.pop() ?? '').slice(0, 1_000)
		for (const line of lines) {
			const [key, value = ''] = line.split('=', 2)
			const number = Number(value)
			if (key === 'frame' && number >= 0) progress = { ...progress, frames: number }
			// Before the first packet it is N/A, and with decode times below zero it may be negative.
			if (key === 'out_time_us' && number >= 0) progress = { ...progress, outTimeSec: number / 1e6 }
			if (key === 'progress') {
				isEnded = value.trim() === 'end'
				tell(progress)
			}
		}
	}
	return { progress, isEnded }
}

import type { Readable } from 'node:stream'

/** Progress reported by ffmpeg; with several outputs, that of the first. */
export type Progress = { frames: number; outTimeSec: number }

/** Parses blocks of `key=value` lines, each ending with `progress=continue`, the last with `progress=end`. */
export async function readProgress(
	stream: Readable,
	onProgress: (progress: Progress) => void,
): Promise<{ progress: Progress; isEnded: boolean }> {
	let progress: Progress = { frames: 0, outTimeSec: 0 }
	let isEnded = false
	let rest = ''
	for await (const chunk of stream) {
		const lines = (rest + String(chunk)).split('\n')
		// An endless line is not progress; only a short part of it is kept.
		rest = (lines.pop() ?? '').slice(0, 1_000)
		for (const line of lines) {
			const [key, value = ''] = line.split('=', 2)
			const number = Number(value)
			if (key === 'frame' && number >= 0) progress = { ...progress, frames: number }
			// N/A before the first packet, and negative with decode times below zero.
			if (key === 'out_time_us' && number >= 0) progress = { ...progress, outTimeSec: number / 1e6 }
			if (key === 'progress') {
				isEnded = value.trim() === 'end'
				onProgress(progress)
			}
		}
	}
	return { progress, isEnded }
}

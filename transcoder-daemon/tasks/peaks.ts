import type { Readable } from 'node:stream'
import { PEAK_SAMPLE_RATE } from '../ffmpeg/audio-args.ts'

/** Shorter than a word, so that pauses stay visible. */
const WINDOW_SEC = 0.05
const WINDOW_SAMPLES = PEAK_SAMPLE_RATE * WINDOW_SEC
const BYTES_PER_SAMPLE = 2

/** Reads 16-bit samples. Returns `count` peaks in base64, scaled so that the loudest is 255. */
export async function readPeaks(samples: Readable, count: number): Promise<string> {
	const windows: number[] = []
	let peak = 0
	let filled = 0
	let half: Buffer = Buffer.alloc(0)
	for await (const chunk of samples as AsyncIterable<Buffer>) {
		const bytes = half.length > 0 ? Buffer.concat([half, chunk]) : chunk
		const end = bytes.length - (bytes.length % BYTES_PER_SAMPLE)
		for (let at = 0; at < end; at += BYTES_PER_SAMPLE) {
			peak = Math.max(peak, Math.abs(bytes.readInt16LE(at)))
			if (++filled < WINDOW_SAMPLES) continue
			windows.push(peak)
			peak = filled = 0
		}
		half = bytes.subarray(end)
	}
	if (filled > 0) windows.push(peak)
	return Buffer.from(normalize(averageParts(windows, count))).toString('base64')
}

/** Divides values into equal parts, and returns the average of each. The maximum would make music a solid block. */
export function averageParts(values: readonly number[], count: number): number[] {
	return Array.from({ length: count }, (_, part) => {
		const from = Math.floor((part * values.length) / count)
		const to = Math.max(from + 1, Math.floor(((part + 1) * values.length) / count))
		const own = values.slice(from, to)
		return own.reduce((sum, value) => sum + value, 0) / Math.max(1, own.length)
	})
}

function normalize(values: readonly number[]): number[] {
	const loudest = values.reduce((highest, value) => Math.max(highest, value), 1)
	return values.map((value) => Math.round((value / loudest) * 255))
}

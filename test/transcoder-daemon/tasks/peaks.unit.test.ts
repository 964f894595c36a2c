import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { averageParts, readPeaks } from '../../../transcoder-daemon/tasks/peaks.ts'

const RATE = 8_000

/** Returns a second of samples with each amplitude. */
const seconds = (...amplitudes: readonly number[]) => {
	const samples = amplitudes.flatMap((amplitude) =>
		Array.from({ length: RATE }, (_, at) => (at % 2 === 0 ? amplitude : -amplitude)),
	)
	return Buffer.from(Int16Array.from(samples).buffer)
}

const peaksOf = async (chunks: readonly Buffer[], count: number) => [
	...Buffer.from(await readPeaks(Readable.from(chunks), count), 'base64'),
]

test('peaks are relative to the loudest part', async () => {
	expect(await peaksOf([seconds(100, 200, 0, 50)], 4)).toEqual([128, 255, 0, 64])
})

test('peaks do not depend on where the stream of samples is divided', async () => {
	const whole = seconds(100, 200)
	expect(await peaksOf([whole.subarray(0, 7), whole.subarray(7)], 2)).toEqual([128, 255])
})

test('peaks of silence and of no samples are zero', async () => {
	expect(await peaksOf([seconds(0)], 2)).toEqual([0, 0])
	expect(await peaksOf([], 2)).toEqual([0, 0])
})

test('values are divided into equal parts, and repeated if there are fewer than parts', () => {
	expect(averageParts([1, 3, 5, 7], 2)).toEqual([2, 6])
	expect(averageParts([1, 2], 4)).toEqual([1, 1, 2, 2])
})

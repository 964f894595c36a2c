import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { findSpeech, readLoudness } from '../../../transcoder-daemon/speech/voice-activity.ts'

const RATE = 16_000

/** Writes 16-bit samples of noise: seconds and decibels of each part. */
function noise(...parts: [seconds: number, db: number][]): Buffer {
	let seed = 1
	const random = () => {
		seed = (seed * 48_271) % 2_147_483_647
		return (seed / 2_147_483_647) * 2 - 1
	}
	const samples = parts.flatMap(([seconds, db]) =>
		Array.from({ length: Math.round(seconds * RATE) }, () => random() * 32_767 * 10 ** (db / 20)),
	)
	const bytes = Buffer.alloc(samples.length * 2)
	for (const [at, sample] of samples.entries()) bytes.writeInt16LE(Math.round(sample), at * 2)
	return bytes
}

const speechIn = async (bytes: Buffer, pieces = 1_001) => {
	const chunks = Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, k) =>
		bytes.subarray(k * pieces, (k + 1) * pieces),
	)
	return findSpeech(await readLoudness(Readable.from(chunks))).speech
}

test('speech detection finds sound that is louder than the background', async () => {
	expect(await speechIn(noise([1, -50], [2, -15], [1, -50], [1, -20], [0.5, -50]))).toEqual([
		[920, 3_080],
		[3_920, 5_080],
	])
})

test.each([
	['digital silence', noise([3, -200])],
	['even noise', noise([3, -20])],
	['quiet noise', noise([3, -50])],
	['a click', noise([1, -60], [0.06, -10], [1, -60])],
])('speech detection finds no speech in %s', async (_, bytes) => {
	expect(await speechIn(bytes)).toEqual([])
})

test('speech detection joins words with a short pause', async () => {
	expect(await speechIn(noise([1, -60], [1, -15], [0.2, -60], [1, -15], [1, -60]))).toHaveLength(1)
})

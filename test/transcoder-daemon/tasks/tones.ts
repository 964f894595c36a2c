import { examine } from '../corpus/encoded.ts'

export const RATE = 48_000

/** Decodes audio to interleaved samples of all channels. */
export async function decodeSound(
	path: string,
	dir: string,
	channels = 1,
	rate = RATE,
): Promise<Float32Array> {
	const as = ['-ac', String(channels), '-ar', String(rate), '-f', 'f32le', 'pipe:3']
	const { bytes } = await examine(['-i', path, '-map', '0:a:0', ...as], dir)
	return new Float32Array(new Uint8Array(bytes).buffer)
}

/** Returns the times at which tones begin, in seconds from the first sample. */
export function tonesIn(samples: Float32Array, rate = RATE): number[] {
	const tones: number[] = []
	let quiet = Number.POSITIVE_INFINITY
	for (const [index, sample] of samples.entries()) {
		if (Math.abs(sample) < 0.1) quiet++
		else {
			if (quiet > rate / 5) tones.push(index / rate)
			quiet = 0
		}
	}
	return tones
}

/** Small grey pictures for comparing frames: one byte per pixel. */
export const SAMPLE = { width: 64, height: 36 }
const SAMPLE_BYTES = SAMPLE.width * SAMPLE.height

/** Mean brightness of a well-exposed frame. */
const GOOD_MEAN = 115

/** Returns the index of the most informative frame: high contrast, neither black nor white. null if there is none. */
export function choosePicture(samples: Buffer): number | null {
	let best: number | null = null
	let bestScore = -1
	for (let number = 0; (number + 1) * SAMPLE_BYTES <= samples.length; number++) {
		const score = scoreOf(samples.subarray(number * SAMPLE_BYTES, (number + 1) * SAMPLE_BYTES))
		if (score > bestScore) [best, bestScore] = [number, score]
	}
	return best
}

function scoreOf(pixels: Buffer): number {
	let sum = 0
	let squares = 0
	for (const pixel of pixels) {
		sum += pixel
		squares += pixel * pixel
	}
	const mean = sum / pixels.length
	const contrast = Math.sqrt(Math.max(0, squares / pixels.length - mean * mean))
	return contrast * (1 - Math.abs(mean - GOOD_MEAN) / 256)
}

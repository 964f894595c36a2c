/** Pictures by which moments are compared: grey, one byte a pixel. */
export const SAMPLE = { width: 64, height: 36 }
const SAMPLE_BYTES = SAMPLE.width * SAMPLE.height

/** Mean brightness of a picture that people would call neither dark nor blown out. */
const GOOD_MEAN = 115

/** Number of the picture that tells most of a video: rich in contrast, neither black nor white. null: there is none. */
export function choosePicture(samples: Buffer): number | null {
	let best: number | null = null
	let most = -1
	for (let number = 0; (number + 1) * SAMPLE_BYTES <= samples.length; number++) {
		const score = scoreOf(samples.subarray(number * SAMPLE_BYTES, (number + 1) * SAMPLE_BYTES))
		if (score > most) [best, most] = [number, score]
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

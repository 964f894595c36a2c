/** Small grey frames for comparison, with one byte per pixel. */
export const SAMPLE = { width: 64, height: 36 }
const SAMPLE_BYTES = SAMPLE.width * SAMPLE.height

/** Mean brightness of a well-exposed frame. */
const GOOD_MEAN = 115

/** The part of the video from which a poster may come. Later frames can give away how it ends. */
const EARLY_SHARE = 0.4
/** Frames below are nearly of one color, such as black. */
const MIN_SCORE = 8

/**
 * Returns the index of the most informative early frame: high contrast, neither black nor white. If all early frames
 * are nearly of one color, returns the first frame that is not, or the best of all. null without samples.
 */
export function chooseFrame(samples: Buffer): number | null {
	const scores = Array.from({ length: Math.floor(samples.length / SAMPLE_BYTES) }, (_, at) =>
		scoreOf(samples.subarray(at * SAMPLE_BYTES, (at + 1) * SAMPLE_BYTES)),
	)
	if (scores.length === 0) return null
	const early = scores.slice(0, Math.max(1, Math.floor(scores.length * EARLY_SHARE)))
	const bestEarly = Math.max(...early)
	if (bestEarly >= MIN_SCORE) return scores.indexOf(bestEarly)
	const firstClear = scores.findIndex((score) => score >= MIN_SCORE)
	return firstClear >= 0 ? firstClear : scores.indexOf(Math.max(...scores))
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

import type { Rational, VideoInfo } from '#schema/contract/video/media-info.ts'

/** The constant frame rate grid of all rungs, with the same cuts for all. */
export type FrameGrid = {
	fps: Rational
	/** Whether its frames correspond to those of the source one to one. */
	isSources: boolean
	/** An estimate until the whole source is decoded. */
	frames: number
}

/** One chunk of the video. The last one has no frame count and extends to the actual end. */
export type Chunk = { firstFrame: number; frames: number | null; cuts: number[]; firstSegment: number }

const SEGMENT_SEC = 4
/** A segment may end this much early, at a keyframe of the source. */
const EARLY_CUT_SEC = 0.5
/** A shorter last segment is merged into the previous one. */
const SHORT_TAIL_SEC = 0.5

/**
 * Each chunk costs about a second: process start, decoding from the last keyframe, encoder start. At 16 s that is
 * little, and a one-minute video keeps four machines busy. At 60 s it is negligible, and a lost machine loses a minute
 * of work. In between, a chunk is a tenth of the video. Chunks shrink towards the end.
 */
const CHUNK_SEC = { min: 8, typical: 16, max: 60 }
const CHUNKS_PER_VIDEO = 10
/** The largest share of the remaining segments that one chunk may take. */
const MAX_SHARE_OF_REST = 1 / 4

/** Limit over all rungs or tracks of a task: the reported segments must fit into a request and a row. */
export const MAX_REPORTED_SEGMENTS = 16_000

const MAX_FPS = 60
/** Slower sources repeat frames. */
const MIN_FPS = 1

const standardRates: Rational[] = [
	{ num: 10, den: 1 },
	{ num: 12, den: 1 },
	{ num: 25, den: 2 },
	{ num: 15_000, den: 1_001 },
	{ num: 15, den: 1 },
	{ num: 20, den: 1 },
	{ num: 24_000, den: 1_001 },
	{ num: 24, den: 1 },
	{ num: 25, den: 1 },
	{ num: 30_000, den: 1_001 },
	{ num: 30, den: 1 },
	{ num: 48_000, den: 1_001 },
	{ num: 48, den: 1 },
	{ num: 50, den: 1 },
	{ num: 60_000, den: 1_001 },
	{ num: 60, den: 1 },
	{ num: 90, den: 1 },
	{ num: 100, den: 1 },
	{ num: 120_000, den: 1_001 },
	{ num: 120, den: 1 },
	{ num: 144, den: 1 },
	{ num: 240_000, den: 1_001 },
	{ num: 240, den: 1 },
]

/** `29.97` counts as 30000/1001. A larger deviation is another rate, which would drift. */
const EXACT_TOLERANCE = 2e-6
/** A variable rate has no exact value to preserve. */
const VARIABLE_TOLERANCE = 1e-3

const rateOf = ({ num, den }: Rational): number => num / den

function standardWithin(share: number, fps: number): Rational | undefined {
	const distance = (rate: Rational) => Math.abs(rateOf(rate) / fps - 1)
	const nearest = standardRates.toSorted((a, b) => distance(a) - distance(b))[0]
	return nearest && distance(nearest) < share ? nearest : undefined
}

export function planFrameGrid(video: VideoInfo): FrameGrid {
	const sourceFps = rateOf(video.frameRate)
	const natural = video.isConstantRate
		? (standardWithin(EXACT_TOLERANCE, sourceFps) ?? approximate(video.frameRate))
		: variableRate(sourceFps)
	// Above 60 fps only every nth frame is used; below 1 fps each frame is repeated.
	const divisor = Math.max(1, Math.ceil(rateOf(natural) / MAX_FPS))
	const factor = Math.max(1, Math.ceil(MIN_FPS / rateOf(natural)))
	const fps = reduceFraction({ num: natural.num * factor, den: natural.den * divisor })
	const { frameCount, startSec, durationSec } = video
	const seconds = frameCount === null ? startSec + durationSec : frameCount / sourceFps
	return {
		fps,
		isSources: video.isConstantRate && divisor === 1 && factor === 1,
		frames: Math.max(1, Math.round(seconds * rateOf(fps))),
	}
}

/**
 * Returns the grid rate for a variable frame rate, which is reported for the faster passages. A nonstandard rate is a
 * guess at best, so 30 or 60 fps is used, which can hold the frames of recordings with pauses.
 */
const variableRate = (fps: number): Rational =>
	standardWithin(VARIABLE_TOLERANCE, fps) ?? { num: fps <= 30 ? 30 : 60, den: 1 }

export function reduceFraction({ num, den }: Rational): Rational {
	let [a, b] = [num, den]
	while (b > 0) [a, b] = [b, a % b]
	return { num: num / a, den: den / a }
}

/** Keeps products within 32 bits. */
const MAX_TERM = 1_000_000

/** Returns the nearest fraction with small terms, by continued fractions. A mean rate may have any terms. */
function approximate(rate: Rational): Rational {
	let { num: rest, den: part } = reduceFraction(rate)
	let [before, now] = [
		{ num: 0, den: 1 },
		{ num: 1, den: 0 },
	]
	while (part > 0) {
		const whole = Math.floor(rest / part)
		const next = { num: whole * now.num + before.num, den: whole * now.den + before.den }
		if (next.num > MAX_TERM || next.den > MAX_TERM) break
		;[before, now] = [now, next]
		;[rest, part] = [part, rest - whole * part]
	}
	return now.den > 0 && now.num > 0 ? now : { num: Math.max(1, Math.round(rateOf(rate))), den: 1 }
}

/** Segments have a whole number of frames and their exact duration: 120 at 29.97 fps are 4.004 s, not 4 s. */
export const countFramesPerSegment = (fps: Rational): number =>
	Math.max(1, Math.round(SEGMENT_SEC * rateOf(fps)))

export const chooseSegmentLength = (fps: Rational): Rational =>
	reduceFraction({ num: countFramesPerSegment(fps) * fps.den, den: fps.num })

/** Returns the first frames of segments for an encoded video. */
export function planEvenCuts({ fps, frames }: FrameGrid): number[] {
	const length = countFramesPerSegment(fps)
	const cuts = Array.from({ length: Math.ceil(frames / length) }, (_, k) => k * length)
	return withoutShortTail(cuts, fps, frames)
}

/** Returns the cuts for a copied video: each first keyframe about four seconds after the last cut. */
export function planKeyframeCuts({ fps, frames }: FrameGrid, keyframes: readonly number[]): number[] {
	const minFrames = Math.max(1, Math.ceil((SEGMENT_SEC - EARLY_CUT_SEC) * rateOf(fps)))
	const cuts = [0]
	let last = 0
	for (const frame of keyframes) {
		if (frame - last < minFrames || frame >= frames) continue
		cuts.push(frame)
		last = frame
	}
	return withoutShortTail(cuts, fps, frames)
}

function withoutShortTail(cuts: number[], fps: Rational, frames: number): number[] {
	const last = cuts.at(-1) ?? 0
	const isShort = cuts.length > 1 && (frames - last) / rateOf(fps) < SHORT_TAIL_SEC
	return isShort ? cuts.slice(0, -1) : cuts
}

/**
 * Splits the video into chunks of whole segments. Chunks shrink towards the end, so that machines of different speed
 * finish together. No chunk is shorter than `longestGopSec`, which at worst must be decoded before its first frame.
 */
export function splitIntoChunks(
	grid: FrameGrid,
	cuts: readonly number[],
	longestGopSec: number | null,
	rungs = 1,
): Chunk[] {
	const seconds = grid.frames / rateOf(grid.fps)
	const segmentsIn = (sec: number) => Math.max(1, Math.round((sec * cuts.length) / seconds))
	const maxSegments = Math.floor(MAX_REPORTED_SEGMENTS / rungs)
	const minSegments = Math.min(maxSegments, segmentsIn(Math.max(CHUNK_SEC.min, longestGopSec ?? 0)))
	const typicalSec = Math.max(CHUNK_SEC.typical, seconds / CHUNKS_PER_VIDEO)
	const maxChunkSegments = Math.max(
		minSegments,
		Math.min(maxSegments, segmentsIn(Math.min(CHUNK_SEC.max, typicalSec))),
	)
	const chunks: Chunk[] = []
	for (let first = 0; first < cuts.length; ) {
		const rest = cuts.length - first
		const next =
			first + Math.min(rest, maxChunkSegments, Math.max(minSegments, Math.ceil(rest * MAX_SHARE_OF_REST)))
		const own = cuts.slice(first, next)
		const firstFrame = cuts[first] ?? 0
		const end = cuts[next]
		const frames = end === undefined ? null : end - firstFrame
		chunks.push({ firstFrame, frames, cuts: own, firstSegment: first })
		first = next
	}
	return chunks
}

import type { Rational, VideoInfo } from '#schema/contract/media-info.ts'

/** Every rung of a video has the frames of one constant grid, cut at the same ones. */
export type FrameGrid = {
	fps: Rational
	/** Its frames fall on those of the source one to one. */
	isSources: boolean
	/** As far as it can be known before all of it is decoded. */
	frames: number
}

/** What a chunk of the video is made of; the last goes on to wherever the end is. */
export type Chunk = { firstFrame: number; frames: number | null; cuts: number[]; firstSegment: number }

const SEGMENT_SEC = 4
/** A source's own keyframe may come so much before the four seconds are over. */
const EARLY_CUT_SEC = 0.5
/** What would be a shorter last segment belongs to the one before. */
const SHORT_TAIL_SEC = 0.5

/**
 * Each chunk costs the start of a process, the way from the last keyframe, and encoders that begin anew: a second or
 * so. At 16 s that is little, and a one-minute video keeps four machines busy; at 60 s it is nothing, and a lost
 * machine loses a minute's work. In between a tenth of the video is one. Towards the end they grow smaller.
 */
const CHUNK_SEC = { least: 8, usual: 16, most: 60 }
const CHUNKS_OF_USUAL_VIDEO = 10
/** The largest part of what is left that one machine may take while others wait. */
const SHARE_OF_REST = 1 / 4

/** Of all rungs or tracks of one task: what is told of them at its end must fit into a request, and into a row. */
export const MAX_TOLD_SEGMENTS = 16_000

const MAX_FPS = 60
/** A picture that stands for longer is shown several times. */
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

/** `29.97` stands for 30000/1001; what is further off is another rate, and would drift against it. */
const SAME = 2e-6
/** A rate that varies has no exact value that could be missed. */
const NEAR = 1e-3

const rateOf = ({ num, den }: Rational): number => num / den

function standardWithin(share: number, fps: number): Rational | undefined {
	const distance = (rate: Rational) => Math.abs(rateOf(rate) / fps - 1)
	const nearest = standardRates.toSorted((a, b) => distance(a) - distance(b))[0]
	return nearest && distance(nearest) < share ? nearest : undefined
}

export function frameGridOf(video: VideoInfo): FrameGrid {
	const given = rateOf(video.frameRate)
	const natural = video.isConstantRate
		? (standardWithin(SAME, given) ?? approximate(video.frameRate))
		: variableRate(given)
	// Above 60 every second frame, or third, or fourth; below 1 each of them several times.
	const divisor = Math.max(1, Math.ceil(rateOf(natural) / MAX_FPS))
	const factor = Math.max(1, Math.ceil(MIN_FPS / rateOf(natural)))
	const fps = reduce({ num: natural.num * factor, den: natural.den * divisor })
	const { frameCount, startSec, durationSec } = video
	const seconds = frameCount === null ? startSec + durationSec : frameCount / given
	return {
		fps,
		isSources: video.isConstantRate && divisor === 1 && factor === 1,
		frames: Math.max(1, Math.round(seconds * rateOf(fps))),
	}
}

/**
 * Told as that of the livelier stretches. One that is not in use is a guess at best, and 30 or 60 holds the frames of
 * what was recorded with pauses.
 */
const variableRate = (fps: number): Rational =>
	standardWithin(NEAR, fps) ?? { num: fps <= 30 ? 30 : 60, den: 1 }

export function reduce({ num, den }: Rational): Rational {
	let [a, b] = [num, den]
	while (b > 0) [a, b] = [b, a % b]
	return { num: num / a, den: den / a }
}

/** What programs that count in 32 bits still multiply without loss. */
const MAX_TERM = 1_000_000

/** The nearest fraction of numbers that are not too large, by continued fractions: a mean may be of any. */
function approximate(rate: Rational): Rational {
	let { num: rest, den: part } = reduce(rate)
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

/** Segments are so many frames, and as long as those take: 120 at 29.97 are 4.004 s, which no rounding may hide. */
export const framesPerSegment = (fps: Rational): number => Math.max(1, Math.round(SEGMENT_SEC * rateOf(fps)))

export const segmentLengthOf = (fps: Rational): Rational =>
	reduce({ num: framesPerSegment(fps) * fps.den, den: fps.num })

/** Frames at which segments begin, when everything is encoded. */
export function evenCuts({ fps, frames }: FrameGrid): number[] {
	const length = framesPerSegment(fps)
	const cuts = Array.from({ length: Math.ceil(frames / length) }, (_, k) => k * length)
	return withoutShortTail(cuts, fps, frames)
}

/** Where a copy can be cut: at each first keyframe that leaves about four seconds behind it. */
export function keyframeCuts({ fps, frames }: FrameGrid, keyframes: readonly number[]): number[] {
	const least = Math.max(1, Math.ceil((SEGMENT_SEC - EARLY_CUT_SEC) * rateOf(fps)))
	const cuts = [0]
	let last = 0
	for (const frame of keyframes) {
		if (frame - last < least || frame >= frames) continue
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
 * Whole segments, and ever fewer of them towards the end: so machines end together, however many share the video and
 * however fast each is. `longestGopSec` is what has to be decoded in vain, at worst, before the first frame of a chunk:
 * no chunk is shorter, so that it stays a small part of the work.
 */
export function chunksOf(
	grid: FrameGrid,
	cuts: readonly number[],
	longestGopSec: number | null,
	rungs = 1,
): Chunk[] {
	const seconds = grid.frames / rateOf(grid.fps)
	const segmentsIn = (sec: number) => Math.max(1, Math.round((sec * cuts.length) / seconds))
	const mostTold = Math.floor(MAX_TOLD_SEGMENTS / rungs)
	const least = Math.min(mostTold, segmentsIn(Math.max(CHUNK_SEC.least, longestGopSec ?? 0)))
	const usual = Math.max(CHUNK_SEC.usual, seconds / CHUNKS_OF_USUAL_VIDEO)
	const most = Math.max(least, Math.min(mostTold, segmentsIn(Math.min(CHUNK_SEC.most, usual))))
	const chunks: Chunk[] = []
	for (let first = 0; first < cuts.length; ) {
		const rest = cuts.length - first
		const next = first + Math.min(rest, most, Math.max(least, Math.ceil(rest * SHARE_OF_REST)))
		const own = cuts.slice(first, next)
		const firstFrame = cuts[first] ?? 0
		const end = cuts[next]
		const frames = end === undefined ? null : end - firstFrame
		chunks.push({ firstFrame, frames, cuts: own, firstSegment: first })
		first = next
	}
	return chunks
}

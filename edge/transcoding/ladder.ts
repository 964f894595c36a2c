import type { Rational } from '#schema/contract/media-info.ts'
import type { Rung, VideoCodec } from '#schema/contract/tasks.ts'
import { makeEven, pixelsOf, type Size, scaleToShorter, shorterSide } from './frame-size.ts'

/**
 * Steps by the shorter side, and the most that a second of 16:9 video may take there, in kb/s, up to 30 frames a
 * second and above. A third or so over what hosts give these sizes on average: what is capped is the peak, while
 * the constant quality decides what easy pictures get.
 */
const steps = [
	{ lines: 240, maxKbps: 500, fastMaxKbps: 700 },
	{ lines: 360, maxKbps: 1_000, fastMaxKbps: 1_400 },
	{ lines: 480, maxKbps: 1_800, fastMaxKbps: 2_500 },
	{ lines: 720, maxKbps: 3_800, fastMaxKbps: 5_300 },
	{ lines: 1_080, maxKbps: 6_800, fastMaxKbps: 11_000 },
	{ lines: 1_440, maxKbps: 13_500, fastMaxKbps: 20_000 },
	{ lines: 2_160, maxKbps: 27_000, fastMaxKbps: 40_000 },
] as const

const TOP_LINES = 2_160

/** Less than this above a step, and the source's own size stands in for the step. */
const NEAR = 1.1

/** The same look for fewer bits, and what a small machine can bear. `share` is of the caps above. */
const codecs: Record<VideoCodec, { crf: number; preset: string; share: number }> = {
	h264: { crf: 23, preset: 'fast', share: 1 },
	hevc: { crf: 28, preset: 'fast', share: 0.7 },
	av1: { crf: 35, preset: '8', share: 0.6 },
}

/** Of H.264 level 5.2, which no player is asked to exceed: pixels in a frame, and in a second. */
const MAX_FRAME_PIXELS = 36_864 * 256
const MAX_PIXELS_PER_SECOND = 2_073_600 * 256

export type LadderStep = Size & { quality: string }

/**
 * From the best to the least. The best has the source's own size, whatever that is, so that nothing of it is lost
 * and it can be copied; below it come the steps, by the shorter side, so that a portrait video gets what a landscape
 * one does. A step that is hardly smaller than the source would cost as much and show the same: it gives way.
 */
export function ladderOf(source: Size, fps: Rational): LadderStep[] {
	const top = topOf(source, fps)
	const lines = shorterSide(top)
	const near = steps.find((step) => step.lines <= lines && lines < step.lines * NEAR)
	const below = steps.filter((step) => step !== near && step.lines < lines).toReversed()
	return [
		{ quality: `${near?.lines ?? lines}p`, ...top },
		...below.map((step) => ({ quality: `${step.lines}p`, ...scaleToShorter(source, step.lines) })),
	]
}

function topOf(source: Size, { num, den }: Rational): Size {
	const own = shorterSide(source) > TOP_LINES ? scaleToShorter(source, TOP_LINES) : makeEven(source)
	// Codecs work on blocks of 16 by 16.
	const blocks = 256 * Math.ceil(own.width / 16) * Math.ceil(own.height / 16)
	const room = Math.min(MAX_FRAME_PIXELS, (MAX_PIXELS_PER_SECOND * den) / num)
	if (blocks <= room) return own
	// Whole blocks: 3 % are more than they can add to a frame of this size.
	return scaleToShorter(source, shorterSide(own) * Math.sqrt((0.97 * room) / blocks))
}

/** Between two steps it grows with the pixels, so that wide and square pictures get their fair share. */
export function maxKbpsOf(size: Size, { num, den }: Rational, codec: VideoCodec = 'h264'): number {
	const isFast = num / den > 30.5
	const points = steps.map((step) => ({
		pixels: (step.lines * step.lines * 16) / 9,
		kbps: isFast ? step.fastMaxKbps : step.maxKbps,
	}))
	const pixels = pixelsOf(size)
	const above = points.findIndex((point) => point.pixels >= pixels)
	const [low, high] = above <= 0 ? [points[0], points[0]] : [points[above - 1], points[above]]
	const last = points.at(-1)
	if (above < 0 || !low || !high) return Math.round((last?.kbps ?? 0) * codecs[codec].share)
	const way = low === high ? 0 : (pixels - low.pixels) / (high.pixels - low.pixels)
	return Math.round((low.kbps + way * (high.kbps - low.kbps)) * codecs[codec].share)
}

/** Below, another codec has next to nothing left to save: at 360 lines it takes what H.264 takes at 240. */
const LEAST_ADDITIONAL_LINES = 360
/** Of level 5.1 of HEVC and of AV1, above which hardly a decoder goes: pixels in a frame, and in a second. */
const MAX_ADDITIONAL = { frame: 8_912_896, second: 534_773_760 }

/** The steps that are made in HEVC and AV1 as well. They make up a whole ladder, as players do not mix codecs. */
export function additionalStepsOf(ladder: readonly LadderStep[], { num, den }: Rational): LadderStep[] {
	const room = Math.min(MAX_ADDITIONAL.frame, (MAX_ADDITIONAL.second * den) / num)
	return ladder.filter((step) => pixelsOf(step) <= room && shorterSide(step) >= LEAST_ADDITIONAL_LINES)
}

export const rungIdOf = (codec: VideoCodec, quality: string): string => `${codec}-${quality}`

export function rungOf(step: LadderStep, fps: Rational, codec: VideoCodec, encoder: string): Rung {
	const { crf, preset } = codecs[codec]
	const { quality, width, height } = step
	const maxKbps = maxKbpsOf(step, fps, codec)
	return { id: rungIdOf(codec, quality), quality, codec, encoder, width, height, crf, maxKbps, preset }
}

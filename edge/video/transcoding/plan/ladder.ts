import type { Rational } from '#schema/contract/video/media-info.ts'
import {
	composeQualityName,
	composeRungId,
	parseQuality,
	type QualityStep,
	qualities,
} from '#schema/contract/video/quality.ts'
import type { Rung, VideoCodec } from '#schema/contract/video/tasks.ts'
import { countPixels, makeEven, measureShorterSide, type Size, scaleToShorter } from './frame-size.ts'

/** A source less than this factor above a step replaces the step. */
const MAX_NEAR_FACTOR = 1.1

/** Similar quality at fewer bits, with presets that a small machine can run. `share` scales the caps above. */
const codecs: Record<VideoCodec, { crf: number; preset: string; share: number }> = {
	h264: { crf: 23, preset: 'fast', share: 1 },
	hevc: { crf: 28, preset: 'fast', share: 0.7 },
	av1: { crf: 35, preset: '8', share: 0.6 },
}

/** Limits of H.264 level 5.2: pixels per frame, and per second. */
const MAX_FRAME_PIXELS = 36_864 * 256
const MAX_PIXELS_PER_SECOND = 2_073_600 * 256

export type LadderStep = Size & { quality: string }

/**
 * Returns the ladder, best quality first. The top has the size of the source, so that it can be copied without loss.
 * Lower steps go by the shorter side, so that portrait and landscape get the same ones. A step hardly smaller than the
 * source is dropped, since it would cost as much and look the same.
 */
export function planLadder(source: Size, fps: Rational, among = qualities): LadderStep[] {
	const steps = selectSteps(fps, among)
	const top = topOf(source, fps, steps.at(-1)?.lines ?? 0)
	const lines = measureShorterSide(top)
	const near = steps.find((step) => step.lines <= lines && lines < step.lines * MAX_NEAR_FACTOR)
	const below = steps.filter((step) => step !== near && step.lines < lines).toReversed()
	return [
		{ quality: near?.name ?? composeQualityName(lines), ...top },
		...below.map((step) => ({ quality: step.name, ...scaleToShorter(source, step.lines) })),
	]
}

/** Returns the qualities for a frame rate, from the lowest. Of two with the same lines, the one for faster sources wins. */
function selectSteps({ num, den }: Rational, among: readonly QualityStep[]) {
	const steps = among.flatMap((step) => {
		const quality = parseQuality(step.name)
		return quality && (quality.fps ?? 0) <= num / den + 0.5 ? [{ ...step, ...quality }] : []
	})
	return steps.filter(({ lines }, k) => lines !== steps[k + 1]?.lines)
}

function topOf(source: Size, { num, den }: Rational, maxLines: number): Size {
	const own = measureShorterSide(source) > maxLines ? scaleToShorter(source, maxLines) : makeEven(source)
	// Codecs work on blocks of 16 by 16.
	const blocks = 256 * Math.ceil(own.width / 16) * Math.ceil(own.height / 16)
	const room = Math.min(MAX_FRAME_PIXELS, (MAX_PIXELS_PER_SECOND * den) / num)
	if (blocks <= room) return own
	// Rounding up to whole blocks adds less than 3 % at this size.
	return scaleToShorter(source, measureShorterSide(own) * Math.sqrt((0.97 * room) / blocks))
}

/** Returns the bitrate cap, interpolated between steps by pixel count, which suits wide and square videos too. */
export function computeBitrateCapKbps(
	size: Size,
	fps: Rational,
	codec: VideoCodec = 'h264',
	among = qualities,
): number {
	const isFast = fps.num / fps.den > 30.5
	const points = selectSteps(fps, among).map((step) => ({
		pixels: (step.lines * step.lines * 16) / 9,
		kbps: isFast ? step.fastMaxKbps : step.maxKbps,
	}))
	const pixels = countPixels(size)
	const above = points.findIndex((point) => point.pixels >= pixels)
	const [low, high] = above <= 0 ? [points[0], points[0]] : [points[above - 1], points[above]]
	const last = points.at(-1)
	if (above < 0 || !low || !high) return Math.round((last?.kbps ?? 0) * codecs[codec].share)
	const fraction = low === high ? 0 : (pixels - low.pixels) / (high.pixels - low.pixels)
	return Math.round((low.kbps + fraction * (high.kbps - low.kbps)) * codecs[codec].share)
}

/** Below this, other codecs save almost nothing. */
const MIN_ADDITIONAL_LINES = 360
/** Limits of HEVC and AV1 level 5.1, which few decoders exceed: pixels per frame, and per second. */
const MAX_ADDITIONAL = { frame: 8_912_896, second: 534_773_760 }

/** Returns the steps for HEVC and AV1. They form a complete ladder, since players don't mix codecs. */
export function selectAdditionalSteps(ladder: readonly LadderStep[], { num, den }: Rational): LadderStep[] {
	const room = Math.min(MAX_ADDITIONAL.frame, (MAX_ADDITIONAL.second * den) / num)
	return ladder.filter(
		(step) => countPixels(step) <= room && measureShorterSide(step) >= MIN_ADDITIONAL_LINES,
	)
}

export function planRung(
	step: LadderStep,
	fps: Rational,
	codec: VideoCodec,
	encoder: string,
	among = qualities,
): Rung {
	const { crf, preset } = codecs[codec]
	const { quality, width, height } = step
	const maxKbps = computeBitrateCapKbps(step, fps, codec, among)
	return { id: composeRungId(codec, quality), quality, codec, encoder, width, height, crf, maxKbps, preset }
}

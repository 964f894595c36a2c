import type { VideoInfo } from '#schema/contract/media-info.ts'
import { findFrameRate, quotientOf, rationalIn } from '../ffmpeg/frame-rate.ts'
import type { ProbedStream } from '../ffmpeg/probe.ts'
import { frameNumbers, longestGap, type Timeline } from '../ffmpeg/timeline.ts'
import { gridStartOf } from '../ffmpeg/video-args.ts'
import { SILENT_AND_BLIND } from './refusals.ts'
import { SourceError } from './task.ts'

const MAX_FPS = 300
/** Of a source that is all key frames, one in a second is border enough; a hair less, as rates are not whole. */
const BORDER_SEC = 0.99

export type Timing = Pick<
	VideoInfo,
	| 'frameRate'
	| 'isConstantRate'
	| 'frameCount'
	| 'startSec'
	| 'clockSec'
	| 'durationSec'
	| 'bitrateKbps'
	| 'isClosedGop'
	| 'longestGopSec'
	| 'keyframes'
>

/** The container's beginning, in seconds of the streams' own time. */
export type Clock = { beginsAtSec: number; isIndexed: boolean }

export const onClock = (
	firstSec: number,
	{ beginsAtSec, isIndexed }: Clock,
): Pick<VideoInfo, 'startSec' | 'clockSec'> => ({
	startSec: firstSec - beginsAtSec,
	clockSec: isIndexed ? null : beginsAtSec,
})

export function describeTiming(stream: ProbedStream, timeline: Timeline, clock: Clock): Timing {
	const timeBase = rationalIn(stream.time_base) ?? { num: 1, den: 1 }
	const { times } = timeline
	const [first, last] = [times[0], times.at(-1)]
	if (first === undefined || last === undefined) throw new SourceError(SILENT_AND_BLIND)
	const claims = [rationalIn(stream.avg_frame_rate), rationalIn(stream.r_frame_rate)]
	const { rate, isConstant } = findFrameRate(times, timeBase, claims)
	const fps = quotientOf(rate)
	if (fps > MAX_FPS) throw new SourceError(`This video has more than ${MAX_FPS} frames in a second.`)

	const tick = quotientOf(timeBase)
	const lastSec = timeline.lastDuration > 0 ? timeline.lastDuration * tick : 1 / fps
	const { startSec, clockSec } = onClock(first * tick, clock)
	const durationSec = isConstant ? times.length / fps : (last - first) * tick + lastSec
	const isCountable = isConstant && timeline.isTimed && !timeline.isTrimmed
	return {
		frameRate: rate,
		isConstantRate: isConstant,
		frameCount: Math.max(1, gridStartOf({ startSec }, rate) + Math.round(durationSec * fps)),
		startSec,
		clockSec,
		durationSec,
		bitrateKbps: Math.round((timeline.bytes * 8) / durationSec / 1_000),
		isClosedGop: timeline.isTimed ? timeline.isClosed : null,
		longestGopSec: longestGap(timeline.keyTimes, first, first + durationSec / tick) * tick,
		keyframes: isCountable ? frameNumbers(timeline.keyTimes, times, BORDER_SEC * fps) : null,
	}
}

/** Without this, it is not worth reading the file again for the kind of its key frames. */
export const mayBeCopied = (video: VideoInfo): boolean =>
	video.codec === 'h264' &&
	video.bitDepth === 8 &&
	video.chroma === '4:2:0' &&
	!video.isInterlaced &&
	video.rotation === 0 &&
	video.keyframes !== null

/** What H.264 files call a key frame may be a point to recover at, whose followers need what was before it. */
export function keepIdr(
	{ frameRate, isClosedGop }: VideoInfo,
	{ keyTimes, times }: Timeline,
	idrTimes: ReadonlySet<number>,
): Pick<VideoInfo, 'isClosedGop' | 'keyframes'> {
	const idr = keyTimes.filter((time) => idrTimes.has(time))
	return {
		isClosedGop: isClosedGop && idr.length === keyTimes.length,
		keyframes: frameNumbers(idr, times, BORDER_SEC * quotientOf(frameRate)),
	}
}

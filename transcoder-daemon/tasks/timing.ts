import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { findFrameRate, parseRational, toNumber } from '../ffmpeg/frame-rate.ts'
import type { Probed, ProbedStream } from '../ffmpeg/probe.ts'
import { computeFrameNumbers, findLongestGap, type Span, type Timeline } from '../ffmpeg/timeline.ts'
import { findFirstGridFrame } from '../ffmpeg/video-args.ts'
import { NO_TRACKS } from './source-errors.ts'
import { SourceError } from './task.ts'

const MAX_FPS = 300
/** Above the reordering of any codec. */
const MAX_REORDER = 32
/**
 * Minimum distance of listed key frames, for sources of key frames only. Slightly below 1 s, since frame rates are not
 * whole numbers.
 */
const MIN_KEYFRAME_GAP_SEC = 0.99

export type Timing = Pick<
	VideoInfo,
	| 'frameRate'
	| 'isConstantRate'
	| 'reorderFrames'
	| 'frameCount'
	| 'startSec'
	| 'clockSec'
	| 'durationSec'
	| 'bitrateKbps'
	| 'isClosedGop'
	| 'longestGopSec'
	| 'keyframes'
>

/** Start of the container, in seconds of the streams' own time. */
export type Clock = { beginsAtSec: number; isIndexed: boolean }

type FoundTracks = {
	picture: ProbedStream | undefined
	timeline: Timeline | undefined
	sounds: readonly ProbedStream[]
	spans: ReadonlyMap<number, Span>
}

/** Differences below this count as the same instant. */
const SAME_INSTANT_SEC = 0.001

/**
 * Returns where video and audio begin. ffmpeg also counts other tracks, such as the ad markers of a transport stream,
 * which would lengthen the video. If one of those begins earlier, the container's times are kept.
 */
export function computeClock({ streams, format }: Probed, tracks: FoundTracks, isIndexed: boolean): Clock {
	const beginsAtSec = format.start_time ?? 0
	const { picture, timeline, sounds, spans } = tracks
	if (streams.length === sounds.length + (picture ? 1 : 0)) return { beginsAtSec, isIndexed }
	const firstSec = (first: number | undefined, { time_base }: ProbedStream) =>
		(first ?? Number.POSITIVE_INFINITY) * toNumber(parseRational(time_base) ?? { num: 1, den: 1 })
	const firstMediaSec = Math.min(
		...(picture ? [firstSec(timeline?.times[0], picture)] : []),
		...sounds.map((sound) => firstSec(spans.get(sound.index)?.first, sound)),
	)
	if (!Number.isFinite(firstMediaSec) || firstMediaSec - beginsAtSec < SAME_INSTANT_SEC)
		return { beginsAtSec, isIndexed }
	return { beginsAtSec: firstMediaSec, isIndexed: false }
}

export const shiftToClock = (
	firstSec: number,
	{ beginsAtSec, isIndexed }: Clock,
): Pick<VideoInfo, 'startSec' | 'clockSec'> => ({
	startSec: firstSec - beginsAtSec,
	clockSec: isIndexed ? null : beginsAtSec,
})

export function describeTiming(stream: ProbedStream, timeline: Timeline, clock: Clock): Timing {
	const timeBase = parseRational(stream.time_base) ?? { num: 1, den: 1 }
	const { times } = timeline
	const [first, last] = [times[0], times.at(-1)]
	if (first === undefined || last === undefined) throw new SourceError(NO_TRACKS)
	const claims = [parseRational(stream.avg_frame_rate), parseRational(stream.r_frame_rate)]
	const { rate, isConstant } = findFrameRate(times, timeBase, claims)
	const fps = toNumber(rate)
	if (fps > MAX_FPS) throw new SourceError(`this video has more than ${MAX_FPS} frames per second`)

	const tick = toNumber(timeBase)
	const lastSec = timeline.lastDuration > 0 ? timeline.lastDuration * tick : 1 / fps
	const { startSec, clockSec } = shiftToClock(first * tick, clock)
	const durationSec = isConstant ? times.length / fps : (last - first) * tick + lastSec
	const isCountable = isConstant && timeline.isTimed && !timeline.isTrimmed
	return {
		frameRate: rate,
		isConstantRate: isConstant,
		...(!timeline.hasPresentationTimes && { reorderFrames: Math.min(stream.has_b_frames, MAX_REORDER) }),
		frameCount: Math.max(1, findFirstGridFrame({ startSec }, rate) + Math.round(durationSec * fps)),
		startSec,
		clockSec,
		durationSec,
		bitrateKbps: Math.round((timeline.bytes * 8) / durationSec / 1_000),
		isClosedGop: timeline.isTimed ? timeline.isClosed : null,
		longestGopSec: findLongestGap(timeline.keyTimes, first, first + durationSec / tick) * tick,
		keyframes: isCountable ? computeFrameNumbers(timeline.keyTimes, times, MIN_KEYFRAME_GAP_SEC * fps) : null,
	}
}

/** Whether the video may be copied; only then are the types of its key frames read. */
export const isCopyable = (video: VideoInfo): boolean =>
	video.codec === 'h264' &&
	video.bitDepth === 8 &&
	video.chroma === '4:2:0' &&
	!video.isInterlaced &&
	video.rotation === 0 &&
	video.keyframes !== null

/** Keeps only IDR frames: an H.264 key frame may be a recovery point, whose followers need earlier frames. */
export function selectIdrKeyframes(
	{ frameRate, isClosedGop }: VideoInfo,
	{ keyTimes, times }: Timeline,
	idrTimes: ReadonlySet<number>,
): Pick<VideoInfo, 'isClosedGop' | 'keyframes'> {
	const idr = keyTimes.filter((time) => idrTimes.has(time))
	return {
		isClosedGop: isClosedGop && idr.length === keyTimes.length,
		keyframes: computeFrameNumbers(idr, times, MIN_KEYFRAME_GAP_SEC * toNumber(frameRate)),
	}
}

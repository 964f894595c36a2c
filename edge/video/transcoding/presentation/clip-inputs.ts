import type { Rational } from '#schema/contract/video/media-info.ts'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { PublishedStream } from './read-playlist.ts'

/** Audio encoders need a lead-in before the first sample. */
const SOUND_MARGIN_MS = 100
/** The time base of audio-only clips. */
export const MILLISECONDS: Rational = { num: 1_000, den: 1 }

/** The published streams of a clip source; at least one exists. */
export type ClipSource = { video: PublishedStream | null; audio: PublishedStream | null }

/**
 * Returns the objects that contain the frames of a clip; each list starts with its init segment. `frames` counts the
 * requested frames that exist, because a video's planned end may be an estimate. It is below 1 for a clip after the
 * end.
 */
export function chooseClipInputs(
	{ video, audio }: ClipSource,
	{ fps, firstFrame, frames }: Pick<TaskSpecByKind<'clip'>, 'fps' | 'firstFrame' | 'frames'>,
): Pick<TaskSpecByKind<'clip'>, 'video' | 'audio' | 'frames'> {
	const total = endsOf(video ?? audio, fps).at(-1) ?? 0
	const count = Math.min(frames, total - firstFrame)
	const msOf = (frame: number) => (frame * fps.den * 1_000) / fps.num
	return {
		video: urisWithin(video, fps, firstFrame, firstFrame + count),
		audio: urisWithin(
			audio,
			MILLISECONDS,
			msOf(firstFrame) - SOUND_MARGIN_MS,
			msOf(firstFrame + count) + SOUND_MARGIN_MS,
		),
		frames: count,
	}
}

/** Returns where each segment ends, in whole units of 1/`perSecond` seconds. */
function endsOf(stream: PublishedStream | null, { num, den }: Rational): number[] {
	let seconds = 0
	return (stream?.segments ?? []).map((segment) => {
		seconds += segment.seconds
		return Math.round((seconds * num) / den)
	})
}

/** Returns the init segment and the segments that overlap a range. */
function urisWithin(stream: PublishedStream | null, perSecond: Rational, from: number, to: number): string[] {
	if (!stream) return []
	const ends = endsOf(stream, perSecond)
	const uris = stream.segments.flatMap(({ uri }, at) =>
		(ends[at - 1] ?? 0) < to && (ends[at] ?? 0) > from ? [uri] : [],
	)
	return uris.length === 0 ? [] : [stream.initUri, ...uris]
}

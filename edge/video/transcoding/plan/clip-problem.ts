import type { TaskResultByKind, TaskSpecByKind } from '#schema/contract/video/tasks.ts'

/** The end of a source may be an estimate, and a clip there ends with the source. */
const TOLERANCE_SEC = 1

/** Returns why a result is not the requested clip, or null. */
export function findClipProblem(
	{ rung, fps, frames }: TaskSpecByKind<'clip'>,
	{ file, poster, initBytes, timescale, segments }: TaskResultByKind<'clip'>,
): string | null {
	if (file.name !== 'clip.mp4' || (poster && poster.name !== 'poster.jpg')) return 'a file has a wrong name'
	if ((poster === null) !== (rung === null)) return 'a clip has a poster if it has video, and only then'
	if (segments.reduce((sum, { bytes }) => sum + bytes, initBytes) !== file.bytes)
		return 'the segments are not the whole file'
	const seconds = segments.reduce((sum, { ticks }) => sum + ticks, 0) / timescale
	const expected = (frames * fps.den) / fps.num
	return Math.abs(seconds - expected) > TOLERANCE_SEC
		? `the clip lasts ${seconds} s instead of ${expected} s`
		: null
}

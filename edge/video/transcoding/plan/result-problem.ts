import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import {
	formatInitName,
	formatSegmentName,
	type RungResult,
	type StoredObject,
	type TaskKind,
	type TaskResult,
	type TaskResultByKind,
	type TaskSpec,
	type TaskSpecByKind,
} from '#schema/contract/video/tasks.ts'
import { findClipProblem } from './clip-problem.ts'
import { findSpeechPlanProblem, findTranscribeProblem } from './speech-problem.ts'

/** Allowed deviation of the last chunk in segments, since the source duration may be an estimate. */
const MAX_SEGMENTS_OFF = 1

type Check<K extends TaskKind> = (spec: TaskSpecByKind<K>, result: TaskResultByKind<K>) => string | null

const checks: { [K in TaskKind]: Check<K> } = {
	fetch: ({ maxBytes }, { sizeBytes }) => (sizeBytes > maxBytes ? 'the source is too large' : null),
	inspect: (_, { info }) => info.video && pictureProblem(info.video),
	remux: remuxProblem,
	video: videoProblem,
	audio: audioProblem,
	stills: () => null,
	download: ({ rung }, { file }) =>
		file.name === `${rung}.mp4` ? null : 'the file must be named after its rung',
	'speech-plan': findSpeechPlanProblem,
	transcribe: findTranscribeProblem,
	clip: findClipProblem,
	poster: (_, { poster }) => (poster.name === 'poster.jpg' ? null : 'the image must be named poster.jpg'),
}

/** Returns why a result contradicts its task spec, or null if it can be accepted. */
export const findResultProblem = (spec: TaskSpec, result: TaskResult): string | null =>
	spec.kind === result.kind
		? (checks[spec.kind] as Check<TaskKind>)(spec, result)
		: `a ${spec.kind} task needs a result of kind ${spec.kind}`

function audioProblem(spec: TaskSpecByKind<'audio'>, result: TaskResultByKind<'audio'>): string | null {
	const { tracks, playback, ai, filesOnly, peaks = 0 } = spec
	if (result.peaks !== undefined && atob(result.peaks).length !== peaks) return `expected ${peaks} peaks`
	if (!playback !== !result.playback || !ai !== !result.ai)
		return 'the audio files are not the requested ones'
	return namesProblem(
		filesOnly ? [] : tracks.map(({ id }) => id),
		result.tracks.map(({ id }) => id),
	)
}

const namesProblem = (expected: readonly string[], actual: readonly string[]): string | null =>
	expected.length === actual.length && expected.every((name, i) => actual[i] === name)
		? null
		: `expected ${expected.join(', ')}, got ${actual.join(', ')}`

/** Frame rate limits: the maximum of inspection, and less than any slide show. */
const FPS = { max: 300, min: 1 / 3_600 }
const MAX_START_SEC = 86_400
const MAX_FRAMES_OFF = 2

/**
 * Checks that the numbers are consistent, because the plan would otherwise create endless segments and playlists.
 * Videos that really are too long are rejected by the plan, with a message for the owner.
 */
function pictureProblem({ frameRate, frameCount, startSec, durationSec }: VideoInfo): string | null {
	const fps = frameRate.num / frameRate.den
	if (fps > FPS.max || fps < FPS.min) return `a frame rate of ${fps} is impossible`
	if (startSec > MAX_START_SEC) return `the video starts too late, after ${startSec} seconds`
	const maxFrames = (Math.max(0, startSec) + durationSec) * fps + MAX_FRAMES_OFF
	return (frameCount ?? 0) > maxFrames ? `${frameCount} frames do not fit into ${durationSec} seconds` : null
}

const framesOf = ({ segments }: Pick<RungResult, 'segments'>): number =>
	segments.reduce((sum, { frames }) => sum + frames, 0)

function remuxProblem(
	{ rung, cuts }: TaskSpecByKind<'remux'>,
	result: TaskResultByKind<'remux'>,
): string | null {
	if (result.rung.id !== rung) return namesProblem([rung], [result.rung.id])
	if (result.rung.encoder !== 'copy') return 'a remux task must use the encoder "copy"'
	return cutProblem(cuts, 0, result.rung)
}

function videoProblem(spec: TaskSpecByKind<'video'>, result: TaskResultByKind<'video'>): string | null {
	const { rungs } = result
	const names = namesProblem(
		spec.rungs.map(({ id }) => id),
		rungs.map(({ id }) => id),
	)
	if (names) return names
	if (spec.frames !== null && result.frames !== spec.frames)
		return `expected ${spec.frames} frames, got ${result.frames}`
	for (const rung of rungs) {
		if (framesOf(rung) !== result.frames)
			return `${rung.id} has ${framesOf(rung)} frames, but the chunk has ${result.frames}`
		const problem = cutProblem(spec.cuts, spec.firstFrame, rung, spec.frames === null)
		if (problem) return problem
	}
	if (spec.storyboard && !result.sheet) return 'the storyboard sheet is missing'
	const { frames, shots = [] } = result
	if (shots.some((frame, at) => frame >= frames || frame <= (shots[at - 1] ?? 0)))
		return 'the shots are not in ascending order within the chunk'
	return null
}

/** Checks that segments start at the requested cuts. The last one ends with the source. */
function cutProblem(
	cuts: readonly number[],
	firstFrame: number,
	{ id, segments }: RungResult,
	isLast = true,
): string | null {
	const off = Math.abs(segments.length - cuts.length)
	if (off > (isLast ? MAX_SEGMENTS_OFF : 0))
		return `${id}: expected ${cuts.length} segments, got ${segments.length}`
	let frame = firstFrame
	for (const [k, segment] of segments.entries()) {
		const cut = cuts[k]
		if (cut !== undefined && frame !== cut) return `${id}: segment ${k} begins at frame ${frame}, not ${cut}`
		frame += segment.frames
	}
	return null
}

type Listing<K extends TaskKind> = (
	result: TaskResultByKind<K>,
	spec: TaskSpecByKind<K>,
) => readonly StoredObject[]

const listings: { [K in TaskKind]: Listing<K> } = {
	fetch: () => [],
	inspect: () => [],
	remux: ({ rung }) => rungObjects(rung, 0),
	video: ({ rungs, sheet }, { firstSegment }) => [
		...rungs.flatMap((rung) => rungObjects(rung, firstSegment)),
		...(sheet ? [sheet] : []),
	],
	audio: ({ tracks, playback, ai }) => [
		...tracks.flatMap((track) => rungObjects(track, 0)),
		...[playback, ai].filter((file) => file !== null),
	],
	stills: ({ poster, preview, sheets }) => [poster, preview, ...sheets],
	download: ({ file }) => [file],
	'speech-plan': ({ chunks }) => chunks.map(({ file }) => file),
	transcribe: () => [],
	poster: ({ poster }) => [poster],
	clip: ({ file, poster }) => [file, ...(poster ? [poster] : [])],
}

/** Returns every object that a result reports, by name in the task's folder. A large output is checked separately. */
export const listStoredObjects = (spec: TaskSpec, result: TaskResult): StoredObject[] =>
	(listings[result.kind] as Listing<TaskKind>)(result, spec).map(({ name, bytes }) => ({ name, bytes }))

const rungObjects = (
	stream: { id: string; init: { bytes: number }; segments: readonly { bytes: number }[] },
	first: number,
): StoredObject[] => [
	{ name: formatInitName(stream.id), bytes: stream.init.bytes },
	...stream.segments.map(({ bytes }, k) => ({ name: formatSegmentName(stream.id, first + k), bytes })),
]

import type { VideoInfo } from '#schema/contract/media-info.ts'
import {
	initName,
	type RungResult,
	type StoredObject,
	segmentName,
	type TaskResult,
	type TaskResultOf,
	type TaskSpec,
	type TaskSpecOf,
} from '#schema/contract/tasks.ts'

/** How far the last chunk may be off where the length of the source was only estimated, in segments. */
const SEGMENTS_OFF = 1

/** What is wrong with a result, held against what was asked for; null if it may be believed. */
export function resultProblem(spec: TaskSpec, result: TaskResult): string | null {
	if (spec.kind !== result.kind) return `a ${spec.kind} task ends with a result of its own kind`
	switch (result.kind) {
		case 'inspect':
			return result.info.video && pictureProblem(result.info.video)
		case 'remux':
			return remuxProblem(spec as TaskSpecOf<'remux'>, result)
		case 'video':
			return videoProblem(spec as TaskSpecOf<'video'>, result)
		case 'audio': {
			const { tracks, playback, ai, filesOnly } = spec as TaskSpecOf<'audio'>
			if (!playback !== !result.playback || !ai !== !result.ai)
				return 'there are other files of sound than were asked for'
			return sameNames(
				filesOnly ? [] : tracks.map(({ id }) => id),
				result.tracks.map(({ id }) => id),
			)
		}
		case 'fetch':
			return result.sizeBytes > (spec as TaskSpecOf<'fetch'>).maxBytes ? 'the source is too large' : null
		case 'download':
			return result.file.name === `${(spec as TaskSpecOf<'download'>).rung}.mp4`
				? null
				: 'the file has another name than its rung'
		default:
			return null
	}
}

const sameNames = (asked: readonly string[], made: readonly string[]): string | null =>
	asked.length === made.length && asked.every((name, i) => made[i] === name)
		? null
		: `asked for ${asked.join(', ')}, got ${made.join(', ')}`

/** Frames in a second: what inspection takes at most, and fewer than any slide show has. */
const FPS = { most: 300, least: 1 / 3_600 }
const LATEST_START_SEC = 86_400
const FRAMES_OFF = 2

/**
 * Numbers that do not fit together would be planned for all the same: segments and playlists without end. What is
 * long but true is refused by the plan, in words for its owner.
 */
function pictureProblem({ frameRate, frameCount, startSec, durationSec }: VideoInfo): string | null {
	const fps = frameRate.num / frameRate.den
	if (fps > FPS.most || fps < FPS.least) return `no source has ${fps} frames in a second`
	if (startSec > LATEST_START_SEC) return `the picture begins after ${startSec} seconds`
	const most = (Math.max(0, startSec) + durationSec) * fps + FRAMES_OFF
	return (frameCount ?? 0) > most ? `${frameCount} frames do not fit into ${durationSec} seconds` : null
}

const framesOf = ({ segments }: Pick<RungResult, 'segments'>): number =>
	segments.reduce((sum, { frames }) => sum + frames, 0)

function remuxProblem({ rung, cuts }: TaskSpecOf<'remux'>, result: TaskResultOf<'remux'>): string | null {
	if (result.rung.id !== rung) return sameNames([rung], [result.rung.id])
	if (result.rung.encoder !== 'copy') return 'a remux copies and encodes nothing'
	return cutProblem(cuts, 0, result.rung)
}

function videoProblem(spec: TaskSpecOf<'video'>, result: TaskResultOf<'video'>): string | null {
	const { rungs } = result
	const names = sameNames(
		spec.rungs.map(({ id }) => id),
		rungs.map(({ id }) => id),
	)
	if (names) return names
	if (spec.frames !== null && result.frames !== spec.frames)
		return `asked for ${spec.frames} frames, got ${result.frames}`
	for (const rung of rungs) {
		if (framesOf(rung) !== result.frames)
			return `${rung.id} has ${framesOf(rung)} frames, the chunk ${result.frames}`
		const problem = cutProblem(spec.cuts, spec.firstFrame, rung, spec.frames === null)
		if (problem) return problem
	}
	if (spec.storyboard && !result.sheet) return 'there is no sheet of small pictures'
	return null
}

/** Segments begin where they were asked to, up to the last one, whose length is that of the source. */
function cutProblem(
	cuts: readonly number[],
	firstFrame: number,
	{ id, segments }: RungResult,
	isLast = true,
): string | null {
	const off = Math.abs(segments.length - cuts.length)
	if (off > (isLast ? SEGMENTS_OFF : 0))
		return `${id}: ${cuts.length} segments asked for, ${segments.length} made`
	let frame = firstFrame
	for (const [k, segment] of segments.entries()) {
		const cut = cuts[k]
		if (cut !== undefined && frame !== cut) return `${id}: segment ${k} begins at frame ${frame}, not ${cut}`
		frame += segment.frames
	}
	return null
}

/** Every object a result claims to be stored, by its name in the task's folder. The large one is looked at apart. */
export function storedObjects(spec: TaskSpec, result: TaskResult): StoredObject[] {
	switch (result.kind) {
		case 'remux':
			return rungObjects(result.rung, 0)
		case 'video': {
			const first = spec.kind === 'video' ? spec.firstSegment : 0
			return [
				...result.rungs.flatMap((rung) => rungObjects(rung, first)),
				...(result.sheet ? [fileOf(result.sheet)] : []),
			]
		}
		case 'audio':
			return [
				...result.tracks.flatMap((track) => rungObjects(track, 0)),
				...[result.playback, result.ai].filter((file) => file !== null).map(fileOf),
			]
		case 'stills':
			return [fileOf(result.poster), fileOf(result.preview), ...result.sheets.map(fileOf)]
		case 'download':
			return [fileOf(result.file)]
		default:
			return []
	}
}

const fileOf = ({ name, bytes }: StoredObject): StoredObject => ({ name, bytes })

const rungObjects = (
	stream: { id: string; init: { bytes: number }; segments: readonly { bytes: number }[] },
	first: number,
): StoredObject[] => [
	{ name: initName(stream.id), bytes: stream.init.bytes },
	...stream.segments.map(({ bytes }, k) => ({ name: segmentName(stream.id, first + k), bytes })),
]

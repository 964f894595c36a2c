import type { TaskKind, TaskSpec, TaskSpecByKind } from '#schema/contract/video/tasks.ts'

/** A slower transfer counts as stuck. */
const SLOWEST_BYTES_PER_SECOND = 1024 ** 2
const BASE_SEC = 15 * 60

/** Per second of speech, on a machine without a graphics card. */
const RECOGNITION_FACTOR = 20
/** Per second and rung; the largest is 2160p at 60 fps. */
const ENCODE_FACTOR = 60

type Seconds<K extends TaskKind> = (spec: TaskSpecByKind<K>, durationSec: number) => number

/** The seconds that a kind of task may work; generous, since a machine may have only one core. */
const workSec: { [K in TaskKind]: Seconds<K> } = {
	fetch: ({ maxBytes }) => maxBytes / SLOWEST_BYTES_PER_SECOND,
	inspect: () => 0,
	remux: (_, durationSec) => durationSec * 0.5,
	video: (spec, durationSec) =>
		computeChunkDurationSec(spec, durationSec) * spec.rungs.length * ENCODE_FACTOR,
	audio: (_, durationSec) => durationSec * 2,
	stills: (_, durationSec) => durationSec * 5,
	download: (_, durationSec) => durationSec * 0.5,
	'speech-plan': (_, durationSec) => durationSec * 2,
	transcribe: ({ durationSec }) => durationSec * RECOGNITION_FACTOR,
	poster: () => 0,
	clip: ({ frames, fps }) => ((frames * fps.den) / fps.num) * ENCODE_FACTOR,
}

/** Returns a task's deadline in seconds from its claim. */
export function computeTaskDeadlineSec(spec: TaskSpec, sourceBytes: number, durationSec: number): number {
	const transferSec = sourceBytes / SLOWEST_BYTES_PER_SECOND
	return Math.ceil(BASE_SEC + transferSec + (workSec[spec.kind] as Seconds<TaskKind>)(spec, durationSec))
}

export function computeChunkDurationSec(spec: TaskSpecByKind<'video'>, durationSec: number): number {
	const { num, den } = spec.fps
	const beginSec = (spec.firstFrame * den) / num
	return spec.frames === null ? Math.max(1, durationSec - beginSec) : (spec.frames * den) / num
}

/** Returns the weight of a task in the progress of its job. */
export function computeTaskWeight(spec: TaskSpec, durationSec: number): number {
	switch (spec.kind) {
		case 'video':
			return computeChunkDurationSec(spec, durationSec) * spec.rungs.length
		case 'remux':
		case 'audio':
		case 'stills':
			return Math.max(1, durationSec * 0.1)
		default:
			return 1
	}
}

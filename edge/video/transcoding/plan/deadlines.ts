import type { TaskSpec } from '#schema/contract/video/tasks.ts'

/** A slower transfer counts as stuck. */
const SLOWEST_BYTES_PER_SECOND = 1024 ** 2
const BASE_SEC = 15 * 60

/** Seconds of work per second of video or audio; generous, since a machine may have only one core. */
const factors = { remux: 0.5, audio: 2, stills: 5, download: 0.5, 'speech-plan': 2 }
/** Per second of speech, on a machine without a graphics card. */
const RECOGNITION_FACTOR = 20
/** Per rung; the largest is 2160p at 60 fps. */
const ENCODE_FACTOR = 60

/** Returns the time limit of a task in seconds from its claim. */
export function taskDeadlineSec(spec: TaskSpec, sourceBytes: number, durationSec: number): number {
	const transferSec = sourceBytes / SLOWEST_BYTES_PER_SECOND
	return Math.ceil(BASE_SEC + transferSec + workSecOf(spec, durationSec))
}

function workSecOf(spec: TaskSpec, durationSec: number): number {
	if (spec.kind === 'fetch') return spec.maxBytes / SLOWEST_BYTES_PER_SECOND
	if (spec.kind === 'inspect') return 0
	if (spec.kind === 'video') return chunkDurationSec(spec, durationSec) * spec.rungs.length * ENCODE_FACTOR
	if (spec.kind === 'clip') return ((spec.frames * spec.fps.den) / spec.fps.num) * ENCODE_FACTOR
	if (spec.kind === 'transcribe') return spec.durationSec * RECOGNITION_FACTOR
	return durationSec * factors[spec.kind]
}

export function chunkDurationSec(spec: Extract<TaskSpec, { kind: 'video' }>, durationSec: number): number {
	const { num, den } = spec.fps
	const beginSec = (spec.firstFrame * den) / num
	return spec.frames === null ? Math.max(1, durationSec - beginSec) : (spec.frames * den) / num
}

/** Returns the share of a task in the progress of its job, relative to the job's other tasks. */
export function taskWeight(spec: TaskSpec, durationSec: number): number {
	switch (spec.kind) {
		case 'video':
			return chunkDurationSec(spec, durationSec) * spec.rungs.length
		case 'remux':
		case 'audio':
		case 'stills':
			return Math.max(1, durationSec * 0.1)
		default:
			return 1
	}
}

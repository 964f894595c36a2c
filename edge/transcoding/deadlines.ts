import type { TaskSpec } from '#schema/contract/tasks.ts'

/** A machine that is slower than this at a source is not at work on it any more. */
const SLOWEST_BYTES_PER_SECOND = 1024 ** 2
const BASE_SEC = 15 * 60

/** Seconds of work for each second of video or sound; generous, as one core may do all there is to do. */
const factors = { remux: 0.5, audio: 2, stills: 5, download: 0.5 }
/** For each rung, the largest of which is 2160p at 60 frames a second. */
const ENCODE_FACTOR = 60

/** When a task is given up, in seconds from its claim. */
export function deadlineSecOf(spec: TaskSpec, sourceBytes: number, durationSec: number): number {
	const transferSec = sourceBytes / SLOWEST_BYTES_PER_SECOND
	return Math.ceil(BASE_SEC + transferSec + workSecOf(spec, durationSec))
}

function workSecOf(spec: TaskSpec, durationSec: number): number {
	if (spec.kind === 'fetch') return spec.maxBytes / SLOWEST_BYTES_PER_SECOND
	if (spec.kind === 'inspect') return 0
	if (spec.kind === 'video') return chunkSecOf(spec, durationSec) * spec.rungs.length * ENCODE_FACTOR
	return durationSec * factors[spec.kind]
}

export function chunkSecOf(spec: Extract<TaskSpec, { kind: 'video' }>, durationSec: number): number {
	const { num, den } = spec.fps
	const beginSec = (spec.firstFrame * den) / num
	return spec.frames === null ? Math.max(1, durationSec - beginSec) : (spec.frames * den) / num
}

/** What of the progress of a job a task is; only compared to the job's other tasks. */
export function weightOf(spec: TaskSpec, durationSec: number): number {
	switch (spec.kind) {
		case 'video':
			return chunkSecOf(spec, durationSec) * spec.rungs.length
		case 'remux':
		case 'audio':
		case 'stills':
			return Math.max(1, durationSec * 0.1)
		default:
			return 1
	}
}

import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import { SHOTS_NAME } from '../../assets/shots.ts'
import { chunkOutputs, requireFps } from './rung-streams.ts'
import type { TaskOutput } from './task-output.ts'

/** More than five hours of a cut each second. */
const MAX_SHOTS = 20_000

/** Returns the file that lists when another shot begins, or null while chunks are missing or if no cut was found. */
export function shotsFile(plan: JobPlan, outputs: readonly TaskOutput[]) {
	if (!plan.rungs.some(({ codec, copied }) => codec === 'h264' && !copied)) return null
	const chunks = chunkOutputs(plan, outputs, 'h264')
	// A chunk of which nobody knows the cuts would look like one long shot.
	if (!chunks?.every(({ result }) => result.shots !== undefined)) return null
	const frames = chunks.flatMap(({ result: { shots = [] }, start }) =>
		shots.map((frame) => start.frame + frame),
	)
	if (frames.length === 0) return null
	const { num, den } = requireFps(plan)
	const shots = frames.slice(0, MAX_SHOTS).map((frame) => Math.round((frame * den * 1_000) / num) / 1_000)
	return { name: SHOTS_NAME, contentType: 'application/json', text: JSON.stringify({ shots }) }
}

import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import { type PlacedSheet, writeStoryboard } from '../plan/storyboard.ts'
import { groupChunkOutputs, requireFps, UnfitOutputsError } from './rung-streams.ts'
import type { TaskOutput } from './task-output.ts'

export const STORYBOARD_NAME = 'storyboard.vtt'
const VTT_TYPE = 'text/vtt; charset=utf-8'

/** Returns the file that lists the thumbnails, or null while sheets are missing or without video. */
export function writeStoryboardFile(plan: JobPlan, outputs: readonly TaskOutput[]) {
	const isEncoded = plan.rungs.some(({ codec, copied }) => codec === 'h264' && !copied)
	const sheets = isEncoded ? sheetsOfChunks(plan, outputs) : sheetsOfStills(plan, outputs)
	if (!plan.storyboard || !sheets) return null
	return {
		name: STORYBOARD_NAME,
		contentType: VTT_TYPE,
		text: writeStoryboard(plan.storyboard, requireFps(plan), sheets),
	}
}

function sheetsOfChunks(plan: JobPlan, outputs: readonly TaskOutput[]): PlacedSheet[] | null {
	const chunks = groupChunkOutputs(plan, outputs, 'h264')
	return (
		chunks?.flatMap(({ folder, result, start }) => {
			if (!result.sheet) throw new UnfitOutputsError(`${folder} has no sheet`)
			const { name, tiles } = result.sheet
			const endFrame = start.frame + result.frames
			return [{ uri: `${folder}/${name}`, tiles, firstFrame: start.frame, endFrame }]
		}) ?? null
	)
}

function sheetsOfStills(plan: JobPlan, outputs: readonly TaskOutput[]): PlacedSheet[] | null {
	const output = outputs.find(({ result }) => result.kind === 'stills')
	if (output?.result.kind !== 'stills' || !plan.storyboard || !plan.fps) return null
	const frames = Math.round((plan.durationSec * plan.fps.num) / plan.fps.den)
	const { everyFrames } = plan.storyboard
	let before = 0
	return output.result.sheets.map(({ name, tiles }, k, all) => {
		const firstFrame = before * everyFrames
		before += tiles
		const endFrame = k + 1 < all.length ? before * everyFrames : frames
		return { uri: `${output.folder}/${name}`, tiles, firstFrame, endFrame }
	})
}

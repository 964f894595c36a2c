import type { Rational } from '#schema/contract/video/media-info.ts'
import { MAX_CLIP_SEC, type Rung, type TaskSpecOf } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/job-plan.ts'
import type { AssetRow } from '../../assets/store.ts'
import { software } from '../plan/encoders.ts'
import { shorterSide } from '../plan/frame-size.ts'
import { rungOf } from '../plan/ladder.ts'
import { CLIP_RANK } from '../plan/ranks.ts'
import type { TaskRow } from '../store/task-row.ts'
import type { NewTask } from '../store/task-store.ts'
import { newTask } from './new-task.ts'

/** People share clips, and look at them on phones. */
const CLIP_LINES = 720
/** The grid of sound without video. */
const MILLISECONDS: Rational = { num: 1_000, den: 1 }

export const clipEnded = ({ id, assetId, orgId }: Pick<TaskRow, 'id' | 'assetId' | 'orgId'>) => ({
	type: 'asset.clip_ended' as const,
	orgId,
	payload: { assetId, taskId: id },
})

type Part = { startMs: number; endMs: number }

/** Returns a task for each part of a video, which reads the segments that players get. */
export function clipTasks(plan: JobPlan, asset: AssetRow, parts: readonly Part[], now: number): NewTask[] {
	const { fps, durationSec } = plan
	const rung = fps && rungFor(plan, fps)
	const grid = rung ? fps : MILLISECONDS
	const frameOf = (ms: number) => Math.round((ms * grid.num) / grid.den / 1_000)
	const lastFrame = Math.floor((durationSec * grid.num) / grid.den)
	return parts.map(({ startMs, endMs }, index) => {
		const firstFrame = frameOf(startMs)
		const end = Math.min(lastFrame, frameOf(Math.min(endMs, startMs + MAX_CLIP_SEC * 1_000)))
		const spec: TaskSpecOf<'clip'> = {
			...{ kind: 'clip', rung, fps: grid, firstFrame, frames: Math.max(1, end - firstFrame) },
			// The inputs are resolved when a machine claims the task.
			...{ video: [], audio: [] },
		}
		return newTask(asset, { spec, index, rank: CLIP_RANK + index }, durationSec, now)
	})
}

/** Chooses the best H.264 rung up to 720p, or the smallest one; null without video. */
function rungFor({ rungs }: JobPlan, fps: Rational): Rung | null {
	const h264 = rungs.filter(({ codec }) => codec === 'h264')
	const chosen = h264.find((rung) => shorterSide(rung) <= CLIP_LINES) ?? h264.at(-1)
	return chosen ? { ...rungOf(chosen, fps, 'h264', software.h264), id: chosen.id } : null
}

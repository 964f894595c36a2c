import type { SQL } from 'drizzle-orm'
import { findAsset } from '../assets/assets.ts'
import type { AssetRef, AssetRow } from '../assets/store.ts'
import { readChapters } from '../chapters/chapters.ts'
import { newId } from '../platform/database/ids.ts'
import type { Deps } from '../platform/deps.ts'
import { clipTasks } from '../transcoding/jobs/clip-tasks.ts'
import { clipStore } from '../transcoding/store/clip-store.ts'
import { isPlanned, jobStore, type PlannedJob } from '../transcoding/store/job-store.ts'
import { clipsFolder } from '../transcoding/store/output-folders.ts'
import { taskStore } from '../transcoding/store/task-store.ts'
import { readTranscript } from '../transcripts/transcripts.ts'
import { hasEditedHighlights } from './highlights.ts'
import { chooseHighlights } from './selection/choose.ts'
import { highlightStore } from './store.ts'
import { dropUnheardStatements } from './unheard.ts'

/**
 * What becomes of the highlights: `planned` (their clips are to be made), `none` (nothing stands out), `kept` (a person
 * changed or deleted some), or `no-transcript`.
 */
export type HighlightPlan = {
	outcome: 'planned' | 'none' | 'kept' | 'no-transcript'
	/** For the batch that begins or ends the step; each holds only under the condition. */
	statements: (condition: SQL) => ReturnType<typeof replaceStatements>
}

/** Chooses the highlights of an asset from its transcript. Changes nothing by itself. */
export async function planHighlights(
	deps: Deps,
	{ id, orgId }: AssetRef,
	jobId: string,
	isForced: boolean,
): Promise<HighlightPlan> {
	const nothing = (outcome: HighlightPlan['outcome']): HighlightPlan => ({ outcome, statements: () => [] })
	if (!isForced && (await hasEditedHighlights(deps, id))) {
		// Processing again deleted the tasks of clips that were being made.
		await highlightStore(deps.db).failLostStatement(id)
		return nothing('kept')
	}
	const [asset, job] = await Promise.all([findAsset(deps, orgId, id), jobStore(deps.db).find(jobId)])
	const chosen = asset && job && isPlanned(job) ? await choose(deps, asset) : null
	if (!asset || !job || !isPlanned(job)) return nothing('no-transcript')
	if (chosen === null)
		return {
			outcome: 'no-transcript',
			statements: (condition) => dropUnheardStatements(deps, asset, condition),
		}
	return {
		outcome: chosen.length > 0 ? 'planned' : 'none',
		statements: (condition) => replaceStatements(deps, asset, job, chosen, condition),
	}
}

async function choose(deps: Deps, { transcriptKey, chaptersKey, durationSec }: AssetRow) {
	if (transcriptKey === null || durationSec === null) return null
	const [transcript, chapters] = await Promise.all([
		readTranscript(deps, transcriptKey),
		chaptersKey === null ? null : readChapters(deps, chaptersKey),
	])
	const chapterStarts = (chapters ?? []).map(({ startTime }) => startTime)
	return transcript && chooseHighlights({ transcript, chapterStarts, durationSec })
}

/** Replaces the highlights of an asset, with a task for each clip. */
function replaceStatements(
	{ db, now }: Deps,
	asset: AssetRow,
	job: PlannedJob,
	chosen: ReturnType<typeof chooseHighlights>,
	condition: SQL,
) {
	const tasks = clipTasks(job.plan, asset, chosen, now)
	const made = chosen.map((each, at) => ({ ...each, id: newId('hlt', now), taskId: tasks[at]?.id ?? '' }))
	return [
		...highlightStore(db).dropStatements(asset, clipsFolder(asset.playbackId), now, condition),
		clipStore(db).dropTasksStatement(asset.id, condition),
		highlightStore(db).insertStatement(asset, made, now, condition),
		...taskStore(db).insertStatements(job, tasks, now, condition),
	]
}

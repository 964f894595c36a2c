import { type SQL, sql } from 'drizzle-orm'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { findAsset } from '../../video/assets/assets.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { newClipTask, readClipSource } from '../../video/transcoding/jobs/clip-tasks.ts'
import { isPlanned, jobStore, type PlannedJob } from '../../video/transcoding/store/job-store.ts'
import { clipsFolder } from '../../video/transcoding/store/output-folders.ts'
import { type NewTask, taskStore } from '../../video/transcoding/store/task-store.ts'
import { readChapters } from '../chapters/chapters.ts'
import { readTranscript } from '../transcripts/transcripts.ts'
import { failLostHighlights, hasEditedHighlights } from './highlights.ts'
import { type ChosenHighlight, chooseHighlights } from './selection/choose.ts'
import { highlightStore } from './store.ts'
import { dropSilentHighlightsStatements } from './unheard.ts'

/**
 * The outcome: `planned` (clips are queued), `none` (nothing stands out), `kept` (a person edited some),
 * `no-transcript`, or `no-segments` (clips can't be made, so the old ones stay).
 */
export type HighlightPlan = {
	outcome: 'planned' | 'none' | 'kept' | 'no-transcript' | 'no-segments'
	/** For the batch that begins or ends the step; each applies only under the condition. */
	statements: (condition: SQL) => ReturnType<typeof replaceStatements>
}

/** Chooses the highlights of an asset from its transcript, without storing them. */
export async function planHighlights(
	deps: Deps,
	{ id, orgId }: AssetRef,
	jobId: string,
	isForced: boolean,
): Promise<HighlightPlan> {
	const nothing = (outcome: HighlightPlan['outcome']): HighlightPlan => ({ outcome, statements: () => [] })
	const [asset, job] = await Promise.all([findAsset(deps, orgId, id), jobStore(deps.db).find(jobId)])
	if (!asset || !job || !isPlanned(job)) return nothing('no-transcript')
	if (!isForced && (await hasEditedHighlights(deps, id))) {
		// Reprocessing deleted the tasks of pending clips.
		await failLostHighlights(deps, asset)
		return nothing('kept')
	}
	const chosen = await choose(deps, asset)
	if (chosen === null)
		return {
			outcome: 'no-transcript',
			statements: (condition) => dropSilentHighlightsStatements(deps, asset, condition),
		}
	const made = chosen.length > 0 ? await withTasks(deps, job, asset, chosen) : []
	if (made === null) return nothing('no-segments')
	return {
		outcome: made.length > 0 ? 'planned' : 'none',
		statements: (condition) => replaceStatements(deps, asset, job, made, condition),
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

type Planned = ChosenHighlight & { task: NewTask }

/** Gives each highlight a clip task. Drops speech after the last frame. */
async function withTasks(
	deps: Deps,
	job: PlannedJob,
	asset: AssetRow,
	chosen: readonly ChosenHighlight[],
): Promise<Planned[] | null> {
	const source = await readClipSource(deps, job)
	return (
		source &&
		chosen.flatMap((each, index) => {
			const task = newClipTask(job.plan, source, asset, { ...each, index }, deps.now)
			return task ? [{ ...each, task }] : []
		})
	)
}

/** Replaces the highlights of an asset, with a task for each clip. Changes nothing if the transcript has changed. */
function replaceStatements(
	{ db, now }: Deps,
	{ id, orgId, playbackId, transcriptKey }: AssetRow,
	job: PlannedJob,
	planned: readonly Planned[],
	condition: SQL,
) {
	const rows = planned.map(({ task, ...each }) => ({ ...each, id: newId('hlt', now), taskId: task.id }))
	const tasks = planned.map(({ task }) => task)
	const isCurrent = sql`
		${condition}
		and exists (
			select 1 from assets as heard where heard.id = ${id} and heard.transcript_key is ${transcriptKey}
		)
	`
	return [
		...highlightStore(db).dropStatements({ id }, clipsFolder(playbackId), now, isCurrent),
		highlightStore(db).insertStatement({ id, orgId }, rows, now, isCurrent),
		...taskStore(db).insertStatements(job, tasks, now, isCurrent),
	]
}

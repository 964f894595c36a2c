import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { findAsset } from '../../video/assets/assets.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { dropWaitingClipsStatement } from '../../video/transcoding/jobs/clip-tasks.ts'
import type { StepState } from '../../video/transcoding/progress/ai-job-view.ts'
import { failLostHighlights, type HighlightState, listHighlightStates } from '../highlights/highlights.ts'
import { type HighlightPlan, planHighlights } from '../highlights/planning.ts'
import { announceStatements } from './announce.ts'
import { toCompleted, toSkipped } from './decisions.ts'
import { reasons } from './reasons.ts'
import { aiStore, isStepAt, type StepRow } from './store.ts'

const failed = (reason: string): StepState => ({ step: 'highlights', status: 'failed', reason })

const outcomes: Record<HighlightPlan['outcome'], StepState> = {
	planned: { step: 'highlights', status: 'processing', reason: null },
	none: toSkipped('highlights', reasons.nothingStandsOut),
	kept: toSkipped('highlights', reasons.editedHighlights),
	'no-transcript': toSkipped('highlights', reasons.noTranscript),
	'no-segments': failed(reasons.noSegments),
}

/** Chooses highlights. Their clips are made by machines, and end the step. */
export async function beginHighlights(deps: Deps, asset: AssetRef, jobId: string, isForced: boolean) {
	const { outcome, statements } = await planHighlights(deps, asset, jobId, isForced)
	return { start: outcomes[outcome], statements }
}

/** Ends the step once every clip is completed or failed. Safe to run concurrently and repeatedly. */
export async function advanceHighlights(
	deps: Deps,
	assetId: string,
	reasonWithoutClip: string = reasons.noClip,
): Promise<void> {
	const step = await openStep(deps, assetId)
	const asset = step && (await findAsset(deps, step.orgId, assetId))
	if (!asset) return
	await failLostHighlights(deps, asset)
	const states = await listHighlightStates(deps, assetId)
	if (states.includes('processing')) return
	await end(deps, asset, step, endOf(states, reasonWithoutClip))
}

/** Ends the wait for machines that make clips, unless one is working. */
export async function dropLateClips(deps: Deps, assetId: string): Promise<void> {
	const step = await openStep(deps, assetId)
	if (!step) return
	await dropWaitingClipsStatement(deps, assetId, isStepAt(step, 'highlights', 'processing'))
	await advanceHighlights(deps, assetId, reasons.noClipInTime)
}

function endOf(states: readonly HighlightState[], reasonWithoutClip: string): StepState {
	// The transcript was removed, with its highlights, while the clips were being made.
	if (states.length === 0) return toSkipped('highlights', reasons.noTranscript)
	const isMade = states.includes('ready') || states.includes('deleted')
	return isMade ? toCompleted('highlights') : failed(reasonWithoutClip)
}

async function openStep({ db }: Deps, assetId: string): Promise<StepRow | undefined> {
	const rows = await aiStore(db).list(assetId)
	return rows.find(({ step, status }) => step === 'highlights' && status === 'processing')
}

async function end(deps: Deps, asset: AssetRow, step: StepRow, to: StepState): Promise<void> {
	await batch(deps.db, {
		stepMoved: aiStore(deps.db).moveStatement(step, { status: to.status, reason: to.reason }, deps.now),
		endAnnounced: announceStatements(deps, asset),
	})
}

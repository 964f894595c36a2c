import { findAsset } from '../assets/assets.ts'
import type { AssetRef } from '../assets/store.ts'
import { type HighlightPlan, planHighlights } from '../highlights/planning.ts'
import { highlightStore } from '../highlights/store.ts'
import { batch } from '../platform/database/batch.ts'
import type { Deps } from '../platform/deps.ts'
import type { StepState } from '../transcoding/progress/ai-job-view.ts'
import { clipStore } from '../transcoding/store/clip-store.ts'
import { announceStatements } from './announce.ts'
import { completed, skipped } from './decisions.ts'
import { reasons } from './reasons.ts'
import { aiStore, isStepAt, type StepRow } from './store.ts'

const outcomes: Record<HighlightPlan['outcome'], StepState> = {
	planned: { step: 'highlights', status: 'processing', reason: null },
	none: skipped('highlights', reasons.nothingStandsOut),
	kept: skipped('highlights', reasons.editedHighlights),
	'no-transcript': skipped('highlights', reasons.noTranscript),
}

/** Chooses highlights. Their clips are made by machines, and end the step. */
export async function beginHighlights(deps: Deps, asset: AssetRef, jobId: string, isForced: boolean) {
	const { outcome, statements } = await planHighlights(deps, asset, jobId, isForced)
	return { start: outcomes[outcome], statements }
}

/** Ends the step once every clip was made, or failed. May run twice at once, and at any time. */
export async function advanceHighlights(deps: Deps, assetId: string): Promise<void> {
	const { db } = deps
	const step = await openStep(deps, assetId)
	if (!step) return
	await highlightStore(db).failLostStatement(assetId)
	const rows = await highlightStore(db).listAll(assetId)
	if (rows.some(({ status }) => status === 'processing')) return
	const isMade = rows.some(({ status }) => status === 'ready' || status === 'deleted')
	await end(deps, step, isMade ? completed('highlights') : failed(reasons.noClip))
}

/** Ends the wait for machines that make clips. */
export async function giveUpClips(deps: Deps, assetId: string): Promise<void> {
	const { db } = deps
	const step = await openStep(deps, assetId)
	if (!step) return
	await clipStore(db).dropTasksStatement(assetId, isStepAt(step, 'highlights', 'processing'))
	await highlightStore(db).failLostStatement(assetId)
	await end(deps, step, failed(reasons.noClipInTime))
}

const failed = (reason: string): StepState => ({ step: 'highlights', status: 'failed', reason })

async function openStep({ db }: Deps, assetId: string): Promise<StepRow | undefined> {
	const rows = await aiStore(db).list(assetId)
	return rows.find(({ step, status }) => step === 'highlights' && status === 'processing')
}

async function end(deps: Deps, step: StepRow, to: StepState): Promise<void> {
	const asset = await findAsset(deps, step.orgId, step.assetId)
	if (!asset) return
	await batch(deps.db, {
		stepMoved: aiStore(deps.db).moveStatement(step, { status: to.status, reason: to.reason }, deps.now),
		endAnnounced: announceStatements(deps, asset),
	})
}

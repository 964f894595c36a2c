import type { MessageByType } from '#schema/contract/messages.ts'
import { MINUTE } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { findAsset } from '../../video/assets/assets.ts'
import type { AssetRef } from '../../video/assets/store.ts'
import type { StepState } from '../../video/transcoding/progress/ai-job-view.ts'
import { makeChapters, makeChaptersWithModel } from '../chapters/making.ts'
import { hasLanguageModel } from '../providers/calls/ask-model.ts'
import { announceStatements } from './announce.ts'
import { toCompleted, toSkipped } from './decisions.ts'
import { reasons } from './reasons.ts'
import { aiStore, isOpen, isStepAt } from './store.ts'

type Situation = {
	isForced: boolean
	/** Why there is no text to divide; null if there is one. */
	noTextReason: string | null
	/** The language of the video, if known. */
	language: string | null
	/** Whether the step may continue in the background with a language model. */
	canWait?: boolean
}

/**
 * Makes the chapters of an asset, and returns how their step ends. Without a text, chapters written by a person stay.
 * Without speech, shots may divide the video.
 */
export async function runChaptersStep(
	deps: Deps,
	asset: AssetRef,
	{ isForced, noTextReason, language, canWait = false }: Situation,
): Promise<StepState> {
	if (canWait && noTextReason === null && (await hasLanguageModel(deps, asset.orgId)))
		return { step: 'chapters', status: 'pending', reason: null }
	const isSilent = noTextReason === reasons.noSpeech || noTextReason === reasons.noSound
	const { outcome, hasChapters } = await makeChapters(deps, asset, {
		force: isForced && noTextReason === null,
		isSilent,
		language,
	})
	// The parts may come from an earlier attempt at this step.
	const hasParts = isSilent && hasChapters
	if (noTextReason !== null && !hasParts) return toSkipped('chapters', noTextReason)
	return outcome === 'kept' ? toSkipped('chapters', reasons.editedChapters) : toCompleted('chapters')
}

/** Sends the message for chapters whose step waits for a language model. */
export async function queueChapters(
	deps: Deps,
	{ id, orgId }: AssetRef,
	states: readonly StepState[],
): Promise<void> {
	if (states.some(({ step, status }) => step === 'chapters' && status === 'pending'))
		await deps.send({ type: 'ai.chapters', orgId, assetId: id })
}

/** Makes chapters with the language model: those of a step that waits, or those of a transcript that a person edited. */
export async function consumeChapters(
	deps: Deps,
	{ orgId, assetId }: MessageByType<'ai.chapters'>,
): Promise<void> {
	const { db } = deps
	const rows = await aiStore(db).list(assetId)
	if (rows.some((row) => row.step === 'transcription' && isOpen(row))) return
	const step = rows.find((row) => row.step === 'chapters' && isOpen(row))
	const asset = await findAsset(deps, orgId, assetId)
	if (!asset) return
	if (!step) return void (await makeChaptersWithModel(deps, asset))
	const isPending = isStepAt(step, 'chapters', 'pending')
	const claimed = await aiStore(db).moveStatement(
		step,
		{ status: 'processing', reason: null },
		deps.clock(),
		isPending,
	)
	if (claimed.length === 0) return
	// The request does not cover edits made since.
	const force = step.isForced && (asset.chaptersEditedAt ?? 0) <= step.startedAt
	const { outcome, problem } = await makeChaptersWithModel(deps, asset, { force })
	const end = outcome === 'kept' ? toSkipped('chapters', reasons.editedChapters) : toCompleted('chapters')
	const reason = problem === null ? end.reason : `${reasons.withoutModel} ${problem}`
	await batch(db, {
		stepMoved: aiStore(db).moveStatement(step, { status: end.status, reason }, deps.clock()),
		endAnnounced: announceStatements(deps, asset),
	})
}

/** A call takes a few minutes at most. */
const LEASE_MS = 10 * MINUTE

/** Requeues steps that wait too long, because a message was lost or a process died. */
export async function sweepChapters(deps: Deps, limit: number): Promise<void> {
	const { db, now } = deps
	for (const row of await aiStore(db).claimOpen('chapters', LEASE_MS, now, limit)) {
		if (row.status === 'processing')
			await aiStore(db).moveStatement(row, { status: 'pending', reason: null }, now)
		await deps.send({ type: 'ai.chapters', orgId: row.orgId, assetId: row.assetId })
	}
}

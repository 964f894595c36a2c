import { findAsset } from '../assets/assets.ts'
import type { AssetRef } from '../assets/store.ts'
import { makeChapters } from '../chapters/making.ts'
import type { Deps } from '../platform/deps.ts'
import type { StepState } from '../transcoding/progress/ai-job-view.ts'
import { completed, skipped } from './decisions.ts'
import { reasons } from './reasons.ts'

type Situation = {
	isForced: boolean
	/** Why there is no text to divide; null if there is one. */
	noTextReason: string | null
	/** The language of the video, if known. */
	language: string | null
}

/**
 * Makes the chapters of an asset, and returns how their step ends. Without a text, what a person wrote stays. Where nobody
 * speaks, the picture may show parts.
 */
export async function runChaptersStep(
	deps: Deps,
	asset: AssetRef,
	{ isForced, noTextReason, language }: Situation,
): Promise<StepState> {
	const isSilent = noTextReason === reasons.noSpeech || noTextReason === reasons.noSound
	const outcome = await makeChapters(deps, asset, {
		force: isForced && noTextReason === null,
		isSilent,
		language,
	})
	// The parts may be those of an earlier attempt at this step.
	const hasParts = isSilent && (await findAsset(deps, asset.orgId, asset.id))?.chaptersKey != null
	if (noTextReason !== null && !hasParts) return skipped('chapters', noTextReason)
	return outcome === 'kept' ? skipped('chapters', reasons.editedChapters) : completed('chapters')
}

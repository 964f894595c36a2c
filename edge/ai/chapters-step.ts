import type { AssetRef } from '../assets/store.ts'
import { makeChapters } from '../chapters/making.ts'
import type { Deps } from '../platform/deps.ts'
import { completed, type StepStart, skipped } from './decisions.ts'
import { reasons } from './reasons.ts'

type Situation = {
	isForced: boolean
	/** Why there is no text to divide; null if there is one. */
	missing: string | null
}

/** Makes the chapters of an asset, and returns how their step ends. Without a text, what a person wrote stays. */
export async function runChaptersStep(
	deps: Deps,
	asset: AssetRef,
	{ isForced, missing }: Situation,
): Promise<StepStart> {
	const outcome = await makeChapters(deps, asset, { force: isForced && missing === null })
	if (missing !== null) return skipped('chapters', missing)
	return outcome === 'kept' ? skipped('chapters', reasons.editedChapters) : completed('chapters')
}

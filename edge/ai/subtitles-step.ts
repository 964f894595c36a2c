import type { AssetRef } from '../assets/store.ts'
import type { Deps } from '../platform/deps.ts'
import { makeSubtitles } from '../transcripts/transcripts.ts'
import { completed, type StepStart, skipped } from './decisions.ts'
import { reasons } from './reasons.ts'

/** Makes the subtitles of an asset if it has none, and returns how their step ends. */
export async function runSubtitlesStep(deps: Deps, asset: AssetRef): Promise<StepStart> {
	const hasSubtitles = await makeSubtitles(deps, asset)
	return hasSubtitles ? completed('subtitles') : skipped('subtitles', reasons.noTranscript)
}

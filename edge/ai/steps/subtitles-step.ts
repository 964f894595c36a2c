import type { Deps } from '../../platform/deps.ts'
import type { AssetRef } from '../../video/assets/store.ts'
import type { StepState } from '../../video/transcoding/progress/ai-job-view.ts'
import { makeSubtitles } from '../transcripts/transcripts.ts'
import { toCompleted, toSkipped } from './decisions.ts'
import { reasons } from './reasons.ts'

/** Makes the subtitles of an asset if it has none, and returns how their step ends. */
export async function runSubtitlesStep(deps: Deps, asset: AssetRef): Promise<StepState> {
	const hasSubtitles = await makeSubtitles(deps, asset)
	return hasSubtitles ? toCompleted('subtitles') : toSkipped('subtitles', reasons.noTranscript)
}

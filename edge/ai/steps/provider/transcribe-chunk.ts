import type { TranscribeChunk } from '#schema/contract/messages.ts'
import type { Deps } from '../../../platform/deps.ts'
import { claimChunk } from '../../../video/transcoding/speech/provider-chunks.ts'
import type { TaskRow } from '../../../video/transcoding/store/task-row.ts'
import type { ProviderOutcome } from '../../providers/calls/outcome.ts'
import { supersedeCalls, transcribeWithProvider } from '../../providers/calls/transcribe.ts'
import { recordTranscription } from './take-outcome.ts'

/** Transcribes a chunk with a provider: one call per claim. The text is stored before the call is settled. */
export async function transcribeChunk(deps: Deps, { taskId }: TranscribeChunk): Promise<void> {
	const task = await claimChunk(deps, taskId)
	if (!task) return
	const { id: subject, epoch, orgId } = task
	if (epoch > 1) await supersedeCalls(deps, orgId, { subject, epoch })
	const outcome = await call(deps, task)
	const hasBeenTaken = outcome.state === 'completed' || outcome.state === 'waiting'
	// Without a call, no outcome was handed over yet. Duplicates are ignored.
	if (!hasBeenTaken) await recordTranscription(deps, { subject, epoch }, outcome)
}

async function call(deps: Deps, { id: subject, epoch, orgId, spec }: TaskRow): Promise<ProviderOutcome> {
	if (spec.kind !== 'transcribe') throw new Error('a provider transcribes chunks only')
	const stored = await deps.objects.vault.get(spec.audio)
	if (stored.state !== 'found')
		return { state: 'failed', code: 'not_configured', reason: 'its sound is no longer stored' }
	const bytes = new Uint8Array(await new Response(stored.body).arrayBuffer())
	const audio = { bytes, contentType: 'audio/flac', durationSec: spec.durationSec }
	return transcribeWithProvider(deps, orgId, audio, {
		language: spec.language,
		later: { subject, epoch },
	})
}

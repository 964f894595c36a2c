import type { Deps } from '../../../platform/deps.ts'
import { listDueChunks } from '../../../video/transcoding/speech/provider-chunks.ts'

const AT_ONCE = 100

/** Sends a message for each due chunk. Duplicates are claimed once. */
export async function sendDueChunks(deps: Deps): Promise<void> {
	const due = await listDueChunks(deps, AT_ONCE)
	if (due.length > 0) await deps.sendBatch(due.map((taskId) => ({ type: 'ai.transcribe', taskId })))
}

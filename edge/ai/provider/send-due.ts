import type { Deps } from '../../platform/deps.ts'
import { providerTaskStore } from '../../transcoding/store/provider-task-store.ts'

const AT_ONCE = 100

/** Sends a message for each chunk that a provider is to transcribe now. One that is sent twice is claimed once. */
export async function sendDueChunks(deps: Deps): Promise<void> {
	const due = await providerTaskStore(deps.db).listDue(deps.now, AT_ONCE)
	if (due.length > 0) await deps.sendBatch(due.map((taskId) => ({ type: 'ai.transcribe', taskId })))
}

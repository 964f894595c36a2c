import type { EventByType } from '#schema/contract/events.ts'
import type { Deps } from '../../../platform/deps.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { requeueDownloads } from '../store/delete-processing.ts'
import { processUploaded } from './process-uploaded.ts'

/** Queues the downloads that the trash stopped, or processes an asset that was to be processed once uploaded. */
export async function resumeAfterTrash(deps: Deps, event: EventByType<'asset.restored'>): Promise<void> {
	const requeued = await requeueDownloads(deps.db, event.payload.assetId, deps.now)
	if (requeued.length > 0) deps.defer(wakeFleet(deps))
	await processUploaded(deps, event)
}

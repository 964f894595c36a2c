import type { BulkAction, BulkResult } from '#schema/contract/video/bulk.ts'
import { processAsset as processOperation } from '#schema/contract/video/transcoding.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { requireAllowedWhileSuspended } from '../../http/guards/suspension.ts'
import type { AuditDraft } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import { removeAsset } from '../assets/removal.ts'
import { restoreAsset, trashAsset } from '../assets/trash/trash.ts'
import { processAsset } from '../transcoding/jobs/process.ts'

type RunAiSteps = Omit<Extract<BulkAction, { type: 'runAiSteps' }>, 'type'>

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Injected, because the AI steps import this wing. */
		runAiSteps: (deps: Deps, orgId: string, assetId: string, request: RunAiSteps) => Promise<unknown>
	}
}

/** Returns what the action does to one asset, which throws the error that the operation for this asset has. */
export function chooseVerb(
	deps: Deps,
	caller: OrgCaller,
	action: BulkAction,
): (assetId: string) => Promise<Pick<BulkResult, 'jobId'>> {
	const { org } = caller
	if (action.type === 'process' || action.type === 'runAiSteps')
		requireAllowedWhileSuspended(processOperation, caller)
	return async (assetId) => {
		if (action.type === 'process') {
			const { aiOptions, playback } = action
			return { jobId: await processAsset(deps, org, assetId, { aiOptions, playback }) }
		}
		if (action.type === 'runAiSteps') await deps.contributions.runAiSteps(deps, org.id, assetId, action)
		if (action.type === 'trash') await trashAsset(deps, org.id, assetId)
		if (action.type === 'restore') await restoreAsset(deps, org.id, assetId)
		if (action.type === 'delete') await removeAsset(deps, org.id, assetId, deletionEntry(assetId))
		return {}
	}
}

const deletionEntry = (assetId: string): AuditDraft => ({
	action: 'assets.bulk_changed',
	details: { type: 'delete', assetIds: [assetId], changed: 1 },
})

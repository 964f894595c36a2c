import type { BulkAction, BulkResult } from '#schema/contract/video/bulk.ts'
import { processAsset as processOperation } from '#schema/contract/video/transcoding.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { requireAllowedWhileSuspended } from '../../http/guards/suspension.ts'
import type { AuditDraft } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import { removeAsset } from '../assets/removal.ts'
import { restoreAsset, trashAsset } from '../assets/trash/trash.ts'
import { cancelProcessing } from '../transcoding/jobs/cancellation.ts'
import { processAsset } from '../transcoding/jobs/process.ts'

type RunAiSteps = Omit<Extract<BulkAction, { type: 'runAiSteps' }>, 'type'>

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Injected, because the AI steps import this wing. */
		runAiSteps: (deps: Deps, orgId: string, assetId: string, request: RunAiSteps) => Promise<unknown>
	}
}

/** Starting jobs is several transactions for each asset, so that their entry in the audit log comes afterwards. */
export const startsJobs = ({ type }: BulkAction): boolean => type === 'process' || type === 'runAiSteps'

/** Returns what the action does to one asset, which throws the error that the operation for this asset has. */
export function chooseVerb(
	deps: Deps,
	caller: OrgCaller,
	action: BulkAction,
): (assetId: string) => Promise<Partial<Pick<BulkResult, 'jobId' | 'result'>>> {
	const { org } = caller
	if (startsJobs(action)) requireAllowedWhileSuspended(processOperation, caller)
	return async (assetId) => {
		if (action.type === 'process') {
			const { aiOptions, playback } = action
			return { jobId: await processAsset(deps, org, assetId, { aiOptions, playback }) }
		}
		if (action.type === 'runAiSteps') await deps.contributions.runAiSteps(deps, org.id, assetId, action)
		const entry = draftEntry(action.type, assetId)
		if (action.type === 'cancel') return toResult(await cancelProcessing(deps, org.id, assetId, entry))
		if (action.type === 'trash') return toResult((await trashAsset(deps, org.id, assetId, entry)).isMoved)
		if (action.type === 'restore') return toResult((await restoreAsset(deps, org.id, assetId, entry)).isMoved)
		if (action.type === 'delete') await removeAsset(deps, org.id, assetId, entry)
		return {}
	}
}

const toResult = (isChanged: boolean): Pick<BulkResult, 'result'> => ({
	result: isChanged ? 'done' : 'unchanged',
})

const draftEntry = (type: BulkAction['type'], assetId: string): AuditDraft => ({
	action: 'assets.bulk_changed',
	details: { type, assetIds: [assetId], changed: 1 },
})

import type { BulkAction, BulkResult } from '#schema/contract/video/bulk.ts'
import { notFoundError } from '../../http/errors.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import type { Deps } from '../../platform/deps.ts'
import { assetNotFoundError } from '../assets/assets.ts'
import { bulkStore } from '../assets/library/bulk-store.ts'
import { deleteCachedPlayables } from '../assets/playable/playable.ts'

type PlainChange = Extract<BulkAction, { type: 'move' | 'setVisibility' }>

export const isPlainChange = (action: BulkAction): action is PlainChange =>
	action.type === 'move' || action.type === 'setVisibility'

/** Changes a column of many assets, with one entry in the audit log. A repeated call changes nothing. */
export async function makePlainChange(
	deps: Deps,
	orgId: string,
	ids: readonly string[],
	action: PlainChange,
	details: Record<string, unknown>,
): Promise<BulkResult[]> {
	const store = bulkStore(deps.db)
	if (action.type === 'move') {
		const { collectionId } = action
		if (collectionId !== null && !(await store.hasCollection(orgId, collectionId)))
			throw notFoundError('collection')
		return toResults(ids, await store.change(deps.work, orgId, ids, { collectionId }, details))
	}
	const { visibility } = action
	if (visibility === 'signed') requireTokens(deps, 'playback tokens')
	const outcome = await store.change(deps.work, orgId, ids, { visibility }, details)
	const { changed } = outcome
	await deleteCachedPlayables(
		changed.map(({ playbackId }) => playbackId),
		changed.map(({ collectionId }) => collectionId),
	)
	return toResults(ids, outcome)
}

type Ids = readonly { id: string }[]

function toResults(ids: readonly string[], { found, changed }: { found: Ids; changed: Ids }): BulkResult[] {
	const existing = new Set(found.map(({ id }) => id))
	const done = new Set(changed.map(({ id }) => id))
	const { code, message } = assetNotFoundError()
	return ids.map((assetId) => {
		if (!existing.has(assetId)) return { assetId, result: 'refused', code, message }
		return { assetId, result: done.has(assetId) ? 'done' : 'unchanged' }
	})
}

import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { toEventPayload } from '../../video/assets/assets.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import { aiStore } from './store.ts'

/** Statements for the end of a batch that moves steps: the last step that ends records one event for all. */
export function announceStatements(
	{ db, work }: Deps,
	asset: Pick<AssetRow, 'id' | 'orgId' | 'playbackId' | 'title'>,
) {
	const event = (type: 'ai.completed' | 'ai.failed') =>
		recordEventIfChangedStatement(work, { type, orgId: asset.orgId, payload: toEventPayload(asset) })
	const store = aiStore(db)
	return [
		store.announceStatement(asset.id, true),
		event('ai.failed'),
		store.announceStatement(asset.id, false),
		event('ai.completed'),
	]
}

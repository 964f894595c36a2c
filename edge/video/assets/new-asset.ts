import { type SQL, sql } from 'drizzle-orm'
import { type NewAsset, standardPublicSettings } from '#schema/contract/video/assets.ts'
import type { assets } from '#schema/tables/video/assets.ts'
import { notFoundError } from '../../http/errors.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { batch } from '../../platform/database/batch.ts'
import { newId, randomBase62 } from '../../platform/database/ids.ts'
import type { SelectedColumns } from '../../platform/database/insert-select.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { toEventPayload } from './assets.ts'
import { searchStore } from './search-store.ts'
import { logVideo } from './state-log.ts'
import { type AssetRow, assetStore, ownsCollection } from './store.ts'

const PLAYBACK_ID_LENGTH = 22

type NewRow = SelectedColumns<typeof assets> &
	Pick<AssetRow, 'id' | 'orgId' | 'title' | 'description' | 'playbackId'>

/** Returns what the caller left out, too. */
export const fillNewAsset = ({ title, visibility, publicSettings, ...asset }: NewAsset) => ({
	title,
	description: asset.description ?? null,
	visibility,
	publicSettings: Object.assign({}, standardPublicSettings, publicSettings),
	metadata: asset.metadata ?? {},
	collectionId: asset.collectionId ?? null,
})

export const newAssetRow = ({ now }: Pick<Deps, 'now'>, orgId: string, id: string, asset: NewAsset) => ({
	...fillNewAsset(asset),
	id,
	orgId,
	status: 'created' as const,
	playbackId: randomBase62(PLAYBACK_ID_LENGTH),
	createdAt: now,
	updatedAt: now,
})

/** SQL condition: this row was inserted, and not another one with its id. */
export const wasInserted = ({ id, playbackId }: Pick<AssetRow, 'id' | 'playbackId'>): SQL =>
	sql`exists (select 1 from assets as made where made.id = ${id} and made.playback_id = ${playbackId})`

/** Returns the statements that create an asset, if `condition` holds. Without one, they create it always. */
export const newAssetStatements = ({ db, work }: Deps, row: NewRow, condition?: SQL) => ({
	assetCreated: assetStore(db).insertStatement(row, condition),
	creationRecorded: recordEventIfChangedStatement(work, {
		type: 'asset.created',
		orgId: row.orgId,
		payload: toEventPayload(row),
	}),
	searchTermsCreated: searchStore(db).insertStatements(row, condition && wasInserted(row)),
})

export async function createAsset(
	deps: Deps,
	orgId: string,
	asset: NewAsset,
): Promise<Pick<AssetRow, 'id' | 'playbackId'>> {
	if (asset.visibility === 'signed') requireTokens(deps, 'playback tokens')
	const row = newAssetRow(deps, orgId, newId('ast', deps.now), asset)
	const { collectionId } = row
	const condition = collectionId === null ? undefined : ownsCollection(orgId, collectionId)
	const { assetCreated } = await batch(deps.db, newAssetStatements(deps, row, condition))
	if (assetCreated.length === 0) throw notFoundError('collection')
	logVideo(deps, 'created', { assetId: row.id, title: row.title })
	return row
}

import { type SQL, sql } from 'drizzle-orm'
import { type NewAsset, standardPublicSettings } from '#schema/contract/video/assets.ts'
import { ProcessOptions } from '#schema/contract/video/processing/process-options.ts'
import type { assets } from '#schema/tables/video/assets.ts'
import { requireStorage } from '../../accounts/orgs/storage.ts'
import { notFoundError } from '../../http/errors.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { batch } from '../../platform/database/batch.ts'
import { newId, randomBase62 } from '../../platform/database/ids.ts'
import type { SelectedColumns } from '../../platform/database/insert-select.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { receiveSourceUrlStatement, recordUploadedStatement, toEventPayload } from './assets.ts'
import { searchStore } from './search/search-store.ts'
import { readSourceUrl } from './source-url.ts'
import { logVideo } from './state-log.ts'
import { type AssetRow, assetStore, ownsCollection } from './store.ts'

const PLAYBACK_ID_LENGTH = 22

type NewRow = SelectedColumns<typeof assets> &
	Pick<AssetRow, 'id' | 'orgId' | 'title' | 'description' | 'playbackId'>

/** Fills omitted fields with their defaults. */
export const fillNewAsset = ({ title, visibility, publicSettings, ...asset }: NewAsset) => ({
	title,
	description: asset.description ?? null,
	visibility,
	publicSettings: Object.assign({}, standardPublicSettings, publicSettings),
	metadata: asset.metadata ?? {},
	collectionId: asset.collectionId ?? null,
})

/** Returns the options for processing after the upload; null if processing waits for a request. */
export const resolveProcessOptions = ({ process, processOptions }: NewAsset): ProcessOptions | null =>
	process === undefined ? null : (processOptions ?? ProcessOptions.parse({}))

export const newAssetRow = ({ now }: Pick<Deps, 'now'>, orgId: string, id: string, asset: NewAsset) => ({
	...fillNewAsset(asset),
	processWhenUploaded: resolveProcessOptions(asset),
	id,
	orgId,
	status: 'created' as const,
	playbackId: randomBase62(PLAYBACK_ID_LENGTH),
	createdAt: now,
	updatedAt: now,
})

/** SQL condition: this row was inserted, and no other row with its id existed. */
export const wasInserted = ({ id, playbackId }: Pick<AssetRow, 'id' | 'playbackId'>): SQL =>
	sql`exists (select 1 from assets as made where made.id = ${id} and made.playback_id = ${playbackId})`

/** Returns the statements that create an asset if `condition` is true. Without a condition, they always create it. */
export const newAssetStatements = ({ db, work }: Deps, row: NewRow, condition?: SQL) => ({
	assetCreated: assetStore(db).insertStatement(row, condition),
	creationRecorded: recordEventIfChangedStatement(work, {
		type: 'asset.created',
		orgId: row.orgId,
		payload: toEventPayload(row),
	}),
	searchTermsCreated: searchStore(db).insertStatements(row, condition && wasInserted(row)),
})

/** Creates an asset, and imports its source if `sourceUrl` is set. */
export async function createAsset(
	deps: Deps,
	orgId: string,
	{ sourceUrl, ...asset }: NewAsset & { sourceUrl?: string | undefined },
): Promise<{ id: string; playbackId: string; status: 'created' | 'uploaded' }> {
	if (asset.visibility === 'signed') requireTokens(deps, 'playback tokens')
	const url = sourceUrl === undefined ? null : readSourceUrl(deps, sourceUrl)
	if (url !== null) await requireStorage(deps, orgId, 1)
	const row = newAssetRow(deps, orgId, newId('ast', deps.now), asset)
	const { id, playbackId, collectionId, title } = row
	const condition = collectionId === null ? undefined : ownsCollection(orgId, collectionId)
	const { assetCreated } = await batch(deps.db, {
		...newAssetStatements(deps, row, condition),
		sourceReceived: url === null ? null : receiveSourceUrlStatement(deps, row, url),
		uploadRecorded: url === null ? null : recordUploadedStatement(deps, row),
	})
	if (assetCreated.length === 0) throw notFoundError('collection')
	logVideo(deps, 'created', { assetId: id, title })
	return { id, playbackId, status: url === null ? 'created' : 'uploaded' }
}

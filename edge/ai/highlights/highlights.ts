import type { Highlight } from '#schema/contract/video/assets.ts'
import { notFoundError } from '../../http/errors.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { getAsset } from '../../video/assets/assets.ts'
import type { AssetRow, PlayableRow } from '../../video/assets/store.ts'
import { viewHighlight } from '../../video/transcoding/progress/highlight-view.ts'
import { clipsFolder } from '../../video/transcoding/store/output-folders.ts'
import { type HighlightRow, highlightStore } from './store.ts'
import type { ShownHighlight } from './view.ts'

type HighlightKey = { assetId: string; highlightId: string }

/** Returns the highlights that viewers may see: those with a clip, unless the organization hides them. */
export async function listShownHighlights(
	{ db }: Deps,
	{ id, publicSettings }: Pick<PlayableRow, 'id' | 'publicSettings'>,
): Promise<ShownHighlight[]> {
	return publicSettings.showHighlights ? (await highlightStore(db).listAll(id)).filter(isShown) : []
}

const isShown = (row: HighlightRow): row is ShownHighlight =>
	row.status === 'ready' && row.clipFolder !== null

export async function changeHighlight(
	{ db, now }: Deps,
	orgId: string,
	{ assetId, highlightId: id }: HighlightKey,
	{ title, description }: { title?: string | undefined; description?: string | undefined },
): Promise<Highlight> {
	const change = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
	const row = await highlightStore(db).change({ orgId, assetId, id }, change, now)
	const view = row ? viewHighlight(row) : null
	if (!view) throw notFoundError('highlight')
	return view
}

export async function deleteHighlight(
	deps: Deps,
	orgId: string,
	{ assetId, highlightId: id }: HighlightKey,
): Promise<void> {
	const { db, now } = deps
	const { playbackId } = await getAsset(deps, orgId, assetId)
	const statements = highlightStore(db).deleteStatements({ orgId, assetId, id }, clipsFolder(playbackId), now)
	const { highlightDeleted } = await batch(db, statements)
	if (highlightDeleted.length === 0) throw notFoundError('highlight')
	deps.defer(queuePurges(deps))
}

export type HighlightState = HighlightRow['status']

/** Lists the states of all highlights, also of those that a person deleted. */
export async function listHighlightStates(
	{ db }: Pick<Deps, 'db'>,
	assetId: string,
): Promise<HighlightState[]> {
	return (await highlightStore(db).listAll(assetId)).map(({ status }) => status)
}

export async function hasEditedHighlights({ db }: Deps, assetId: string): Promise<boolean> {
	return (await highlightStore(db).listAll(assetId)).some(({ editedAt }) => editedAt !== null)
}

/** Fails the highlights whose clip task no longer exists. */
export async function failLostHighlights(
	deps: Deps,
	asset: Pick<AssetRow, 'id' | 'playbackId'>,
): Promise<void> {
	await batch(
		deps.db,
		highlightStore(deps.db).failLostStatements(asset, clipsFolder(asset.playbackId), deps.now),
	)
	deps.defer(queuePurges(deps))
}

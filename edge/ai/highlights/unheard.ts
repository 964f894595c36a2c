import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { findAsset } from '../../video/assets/assets.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { clipsFolder } from '../../video/transcoding/store/output-folders.ts'
import { highlightStore } from './store.ts'

/** Drops unedited highlights, with their clips, if the asset has no transcript, because their texts quote it. */
export const dropSilentHighlightsStatements = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	{ id, playbackId }: Pick<AssetRow, 'id' | 'playbackId'>,
	condition: SQL = sql`1`,
) =>
	highlightStore(db).dropStatements(
		{ id },
		clipsFolder(playbackId),
		now,
		sql`
			highlights.edited_at is null
			and exists (select 1 from assets as unheard where unheard.id = ${id} and unheard.transcript_key is null)
			and ${condition}
		`,
	)

/** Drops highlights after a transcript was removed. */
export async function dropSilentHighlights(deps: Deps, { orgId, id }: AssetRef): Promise<void> {
	const asset = await findAsset(deps, orgId, id)
	if (!asset || asset.transcriptKey !== null) return
	await batch(deps.db, { highlightsDropped: dropSilentHighlightsStatements(deps, asset) })
	deps.defer(queuePurges(deps))
}

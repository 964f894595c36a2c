import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { findAsset } from '../../video/assets/assets.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { clipsFolder } from '../../video/transcoding/store/output-folders.ts'
import { highlightStore } from './store.ts'

/**
 * Drops the highlights of an asset without a transcript, with their clips: their texts repeat what was said. Those that a
 * person changed or deleted stay. Changes nothing while there is a transcript.
 */
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

/** Drops them after a change of the transcript, if there is none any more. */
export async function dropSilentHighlights(deps: Deps, { orgId, id }: AssetRef): Promise<void> {
	const asset = await findAsset(deps, orgId, id)
	if (!asset || asset.transcriptKey !== null) return
	await batch(deps.db, { highlightsDropped: dropSilentHighlightsStatements(deps, asset) })
	deps.defer(queuePurges(deps))
}

import { and, asc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { highlights } from '#schema/tables/ai/highlights.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import type { AssetRef } from '../../video/assets/store.ts'

export type HighlightRow = typeof highlights.$inferSelect
type NewHighlight = Pick<
	HighlightRow,
	'id' | 'title' | 'description' | 'startMs' | 'endMs' | 'score' | 'reasons' | 'taskId'
>

export const highlightStore = (db: Db) => ({
	/** Lists all rows in video order, including highlights deleted by a person. */
	async listAll(assetId: string): Promise<HighlightRow[]> {
		return db
			.select()
			.from(highlights)
			.where(eq(highlights.assetId, assetId))
			.orderBy(asc(highlights.startMs), asc(highlights.id))
	},

	insertStatement(
		{ id: assetId, orgId }: AssetRef,
		made: readonly NewHighlight[],
		now: number,
		condition: SQL,
	) {
		return insertSelect(
			db,
			highlights,
			{
				id: sql`given.value ->> 'id'`,
				assetId,
				orgId,
				title: sql`given.value ->> 'title'`,
				description: sql`given.value ->> 'description'`,
				startMs: sql`given.value ->> 'startMs'`,
				endMs: sql`given.value ->> 'endMs'`,
				score: sql`given.value ->> 'score'`,
				reasons: sql`given.value -> 'reasons'`,
				status: 'processing',
				taskId: sql`given.value ->> 'taskId'`,
				createdAt: now,
			},
			sql`from json_each(${JSON.stringify(made)}) as given where ${condition}`,
		)
	},

	/**
	 * Deletes highlights of an asset with their tasks; their clips follow later, because players may have their
	 * addresses.
	 */
	dropStatements({ id: assetId }: Pick<AssetRef, 'id'>, clipsFolder: string, now: number, condition: SQL) {
		const own = and(eq(highlights.assetId, assetId), condition)
		return [
			recordPurgesStatement(db, clipsOf(clipsFolder, own), now, 'soon'),
			// Subtracts the clips from the organization's storage.
			uncountClips(db, assetId, own),
			cancelClips(db, assetId, own),
			db.delete(highlights).where(own),
		]
	},

	/** Claims the ranking of unedited highlights, unless it was done since `before`. */
	claimRanking(assetId: string, now: number, before: number): Promise<HighlightRow[]> {
		return db
			.update(highlights)
			.set({ rankedAt: now })
			.where(
				and(
					...[eq(highlights.assetId, assetId), isUntouched],
					sql`coalesce(${highlights.rankedAt}, ${highlights.createdAt}) <= ${before}`,
				),
			)
			.returning()
	},

	async rank(assetId: string, ranked: readonly Pick<HighlightRow, 'id' | 'rewatch'>[]): Promise<void> {
		const given = sql`
			json_each(${JSON.stringify(ranked)}) as given where given.value ->> 'id' = highlights.id
		`
		await db
			.update(highlights)
			.set({ rewatch: sql`(select given.value ->> 'rewatch' from ${given})` })
			.where(and(eq(highlights.assetId, assetId), isUntouched, sql`exists (select 1 from ${given})`))
	},

	async change(
		{ orgId, assetId, id }: Pick<HighlightRow, 'orgId' | 'assetId' | 'id'>,
		change: Partial<Pick<HighlightRow, 'title' | 'description'>>,
		now: number,
	): Promise<HighlightRow | undefined> {
		const [row] = await db
			.update(highlights)
			.set({ ...change, editedAt: now })
			.where(isOwn({ orgId, assetId, id }))
			.returning()
		return row
	},

	/** Deletes one highlight with its clip or clip task, and keeps a tombstone row. */
	deleteStatements(key: Pick<HighlightRow, 'orgId' | 'assetId' | 'id'>, clipsFolder: string, now: number) {
		const own = isOwn(key)
		return {
			clipPurged: recordPurgesStatement(db, clipsOf(clipsFolder, own), now, 'soon'),
			bytesCounted: uncountClips(db, key.assetId, own),
			clipCancelled: cancelClips(db, key.assetId, own),
			highlightDeleted: db
				.update(highlights)
				.set({ status: 'deleted', clipFolder: null, clipBytes: 0, editedAt: now })
				.where(own)
				.returning(),
		}
	},

	/** Fails the highlights whose task is deleted or ended without a clip. Deletes the outputs of its leases. */
	failLostStatements({ id: assetId }: Pick<AssetRef, 'id'>, clipsFolder: string, now: number) {
		const lost = and(
			eq(highlights.assetId, assetId),
			eq(highlights.status, 'processing'),
			sql`not exists (
				select 1 from tasks as task
				where task.id = ${sql.raw('highlights.task_id')} and task.state in ('queued', 'running')
			)`,
		)
		return {
			lostPurged: recordPurgesStatement(db, clipsOf(clipsFolder, lost), now),
			lostFailed: db.update(highlights).set({ status: 'failed' }).where(lost),
		}
	},
})

/** Not edited by a person. */
const isUntouched = isNull(highlights.editedAt)

const isOwn = ({ orgId, assetId, id }: Pick<HighlightRow, 'orgId' | 'assetId' | 'id'>) =>
	and(
		eq(highlights.id, id),
		eq(highlights.assetId, assetId),
		eq(highlights.orgId, orgId),
		ne(highlights.status, 'deleted'),
	)

/** Selects the folders of all leases of the clip tasks. */
const clipsOf = (clipsFolder: string, which: SQL | undefined): SQL =>
	sql`
		select 'media' as bucket, ${clipsFolder} || highlights.task_id || '-' as prefix from highlights
		where ${which}
	`

/** Subtracts clips from the asset's storage. */
const uncountClips = (db: Db, assetId: string, which: SQL | undefined) =>
	db
		.update(assets)
		.set({
			mediaBytes: sql`
				${assets.mediaBytes} - coalesce((select sum(highlights.clip_bytes) from highlights where ${which}), 0)
			`,
		})
		.where(eq(assets.id, assetId))

/** Deletes clip tasks. Machines with a lease get 410. */
const cancelClips = (db: Db, assetId: string, which: SQL | undefined) =>
	db
		.delete(tasks)
		.where(
			and(
				eq(tasks.assetId, assetId),
				sql`${tasks.id} in (select highlights.task_id from highlights where ${which})`,
			),
		)

import { and, desc, eq, getTableColumns, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { directUploads } from '#schema/tables/video/direct-uploads.ts'
import { hasStorageRoom, hasUploadRoom } from '../../accounts/orgs/storage.ts'
import { MINUTE } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { announceObjectStatement, isAnnounced } from '../../platform/storage/announced-objects.ts'
import { claimDue, type DueRows } from '../../platform/work/due-rows.ts'

export type DirectUploadRow = typeof directUploads.$inferSelect
type Position = readonly [number, string | number] | null

/** Longer than a request takes to store the file and create the asset. */
const FINISH_AFTER_MS = 5 * MINUTE

const isWaiting = sql`${directUploads.status} = 'waiting'`

/** SQL condition on the row: its organization is not fully suspended. An unpaid bill lets uploads that have begun end. */
export const isOrgOpen = sql`not exists (
	select 1 from orgs as owner where owner.id = direct_uploads.org_id and owner.suspended_at is not null
)`

const countWaiting = (orgId: string, now: number): SQL => sql`(
	select count(*) from direct_uploads as other
	where other.org_id = ${orgId} and other.status = 'waiting' and other.expires_at > ${now}
)`

const endStatement = (
	db: Db,
	id: string,
	status: 'asset_created' | 'cancelled' | 'timed_out',
	now: number,
	condition?: SQL,
) =>
	db
		.update(directUploads)
		.set({ status, endedAt: now, finishAt: null })
		.where(and(eq(directUploads.id, id), isWaiting, condition))
		.returning()

export const directUploadStore = (db: Db) => ({
	/** Inserts the upload if `condition` is true and the organization has fewer than `max` waiting uploads. */
	async insert(row: DirectUploadRow, max: number, condition: SQL): Promise<boolean> {
		const rows = await insertSelect(
			db,
			directUploads,
			row,
			sql`where ${countWaiting(row.orgId, row.createdAt)} < ${max} and ${condition}`,
		).returning({ id: directUploads.id })
		return rows.length > 0
	},

	async countWaiting(orgId: string, now: number): Promise<number> {
		const [row] = await db.all<{ n: number }>(sql`select ${countWaiting(orgId, now)} as n`)
		return row?.n ?? 0
	},

	async find(orgId: string, id: string): Promise<DirectUploadRow | undefined> {
		const [row] = await db
			.select()
			.from(directUploads)
			.where(and(eq(directUploads.id, id), eq(directUploads.orgId, orgId)))
		return row
	},

	/** Returns the upload and the state of its organization. */
	async findByToken(tokenHash: string) {
		const [row] = await db
			.select({
				upload: directUploads,
				org: { suspendedAt: orgs.suspendedAt, suspensionReasons: orgs.suspensionReasons },
			})
			.from(directUploads)
			.innerJoin(orgs, eq(orgs.id, directUploads.orgId))
			.where(eq(directUploads.tokenHash, tokenHash))
		return row
	},

	list(orgId: string, limit: number, position: Position): Promise<DirectUploadRow[]> {
		const after =
			position && sql`(${directUploads.createdAt}, ${directUploads.id}) < (${position[0]}, ${position[1]})`
		return db
			.select()
			.from(directUploads)
			.where(and(eq(directUploads.orgId, orgId), after ?? undefined))
			.orderBy(desc(directUploads.createdAt), desc(directUploads.id))
			.limit(limit + 1)
	},

	/** Counts the file as storage of the organization while it is uploaded. Changes nothing if there is no room for it. */
	async announceSize({ id, orgId }: DirectUploadRow, sizeBytes: number, now: number): Promise<boolean> {
		// Counts only the bytes that the row has not announced.
		const more = sql`${sizeBytes} - coalesce(${directUploads.announcedBytes}, 0)`
		const announced = await db
			.update(directUploads)
			.set({ announcedBytes: sql`max(coalesce(${directUploads.announcedBytes}, 0), ${sizeBytes})` })
			.where(and(eq(directUploads.id, id), isWaiting, hasUploadRoom(orgId, more, now)))
			.returning({ id: directUploads.id })
		return announced.length > 0
	},

	/** Ends a waiting upload. Only one of several concurrent calls gets the row. */
	endStatement: (id: string, status: 'cancelled' | 'timed_out', now: number) =>
		endStatement(db, id, status, now),

	/** Ends a waiting upload in the batch that creates its asset, if the file is kept and the storage has room for it. */
	endWithAssetStatement(
		{ id, orgId }: Pick<DirectUploadRow, 'id' | 'orgId'>,
		{ key, sizeBytes }: { key: string; sizeBytes: number },
		now: number,
	) {
		const condition = and(isAnnounced('vault', key, now), hasStorageRoom(orgId, sizeBytes, now))
		return endStatement(db, id, 'asset_created', now, condition)
	},

	/** Ends a waiting upload whose complete file can't become an asset. */
	endWithErrorStatement(id: string, { code, message }: { code: string; message: string }, now: number) {
		return db
			.update(directUploads)
			.set({
				status: 'errored',
				errorCode: code,
				errorMessage: message,
				endedAt: now,
				finishAt: null,
			})
			.where(and(eq(directUploads.id, id), isWaiting))
			.returning({ id: directUploads.id })
	},

	/** Announces the object of a complete file, and schedules the sweep in case no request finishes the upload. */
	async announceFile(id: string, key: string, sweepAt: number, now: number): Promise<void> {
		await batch(db, {
			finishPlanned: db
				.update(directUploads)
				.set({ finishAt: now + FINISH_AFTER_MS })
				.where(and(eq(directUploads.id, id), isWaiting)),
			fileAnnounced: announceObjectStatement(db, 'vault', key, sweepAt, sql`changes() > 0`),
		})
	},

	claimUnfinished(
		rows: DueRows,
		lease: { now: number; limit: number; leaseMs: number },
	): Promise<DirectUploadRow[]> {
		return claimDue(db, rows, getTableColumns(directUploads), lease)
	},

	/** Removes an upload from the sweep because its file is incomplete again. The upload keeps waiting. */
	async expectMore(id: string): Promise<void> {
		await db
			.update(directUploads)
			.set({ finishAt: null })
			.where(and(eq(directUploads.id, id), isWaiting))
	},

	/** Ends uploads that have expired. A file that was complete in time may still become an asset. */
	endExpired(now: number, limit: number): Promise<{ assetId: string }[]> {
		const expired = sql`(
			select late.id from direct_uploads as late
			where late.status = 'waiting' and late.expires_at < ${now} and late.finish_at is null
			limit ${limit}
		)`
		return db
			.update(directUploads)
			.set({ status: 'timed_out', endedAt: now })
			.where(and(sql`${directUploads.id} in ${expired}`, isWaiting))
			.returning({ assetId: directUploads.assetId })
	},

	async prune(endedBefore: number): Promise<void> {
		await db
			.delete(directUploads)
			.where(and(isNotNull(directUploads.endedAt), lt(directUploads.endedAt, endedBefore)) as SQL)
	},
})

import { and, desc, eq, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { directUploads } from '#schema/tables/video/direct-uploads.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

export type DirectUploadRow = typeof directUploads.$inferSelect
type Position = readonly [number, string | number] | null

const isWaiting = sql`${directUploads.status} = 'waiting'`

export const directUploadStore = (db: Db) => ({
	/** Returns false, and inserts nothing, unless `condition` holds. */
	async insert(row: DirectUploadRow, condition: SQL): Promise<boolean> {
		const inserted = await insertSelect(db, directUploads, row, sql`where ${condition}`).returning({
			id: directUploads.id,
		})
		return inserted.length > 0
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

	/** Ends a waiting upload. Only one of several concurrent calls gets the row. */
	endStatement(id: string, status: 'asset_created' | 'cancelled', now: number) {
		return db
			.update(directUploads)
			.set({ status, endedAt: now })
			.where(and(eq(directUploads.id, id), isWaiting))
			.returning()
	},

	/** Records why a complete file became no asset. */
	async recordError(id: string, error: { code: string; message: string }, now: number): Promise<void> {
		await db
			.update(directUploads)
			.set({ status: 'errored', errorCode: error.code, errorMessage: error.message, endedAt: now })
			.where(and(eq(directUploads.id, id), eq(directUploads.status, 'asset_created')))
	},

	/** Ends uploads that have expired. */
	endExpired(now: number, limit: number): Promise<{ assetId: string }[]> {
		const expired = sql`(
			select late.id from direct_uploads as late
			where late.status = 'waiting' and late.expires_at < ${now} limit ${limit}
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

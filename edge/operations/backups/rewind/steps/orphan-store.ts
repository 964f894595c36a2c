import { type SQL, sql } from 'drizzle-orm'
import { storagePurges } from '#schema/tables/platform.ts'
import type { Db } from '../../../../platform/database/database.ts'
import { insertSelect } from '../../../../platform/database/insert-select.ts'
import type { BucketName } from '../../../../platform/storage/bucket.ts'

/** What a subfolder is named after. */
export type Owner = 'asset id' | 'playback id' | 'backup id'

/** The columns that contain the names of subfolders. Assets in the trash keep their files. */
const columnsOf: Record<Owner, { table: SQL; column: SQL }[]> = {
	'asset id': [
		{ table: sql.raw('assets'), column: sql.raw('assets.id') },
		{ table: sql.raw('trashed_assets'), column: sql.raw('trashed_assets.id') },
	],
	'playback id': [
		{ table: sql.raw('assets'), column: sql.raw('assets.playback_id') },
		{ table: sql.raw('trashed_assets'), column: sql.raw('trashed_assets.playback_id') },
	],
	'backup id': [{ table: sql.raw('backups'), column: sql.raw('backups.id') }],
}

export const orphanStore = (db: Db) => ({
	/** Schedules the purge of subfolders without an owner. A purge that is already scheduled keeps its time. */
	async schedulePurges(
		{ bucket, folder, owner }: { bucket: BucketName; folder: string; owner: Owner },
		names: readonly string[],
		dueAt: number,
	): Promise<number> {
		if (names.length === 0) return 0
		const isOrphan = sql.join(
			columnsOf[owner].map(
				({ table, column }) => sql`not exists (select 1 from ${table} where ${column} = subfolder.value)`,
			),
			sql` and `,
		)
		const rows = await insertSelect(
			db,
			storagePurges,
			{ bucket, prefix: sql`${folder} || subfolder.value || '/'`, dueAt, lastDueAt: dueAt },
			sql`from json_each(${JSON.stringify(names)}) as subfolder where ${isOrphan}`,
		)
			.onConflictDoNothing()
			.returning({ prefix: storagePurges.prefix })
		return rows.length
	},
})

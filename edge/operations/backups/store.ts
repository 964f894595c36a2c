import { and, desc, eq, gte, isNull, lt, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'
import { type backupChunks, backups } from '#schema/tables/operations/backups.ts'
import { auditIfChangedStatement, auditStatement } from '../../platform/audit/audit.ts'
import { DAY } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { comesBefore, type Position } from '../../platform/database/keyset.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import type { Manifest } from './format/manifest.ts'
import { CHUNKS, manifestObjectKey } from './keys.ts'

const FAILED_KEPT_MS = 30 * DAY

export type BackupRow = typeof backups.$inferSelect
export type ChunkRow = typeof backupChunks.$inferSelect

/** The manifest has the data key of a finished backup, and the row must not, if only a recipient may read it. */
export const KEY_DELETED = ''

/** Schedules the purge of a backup's objects if it failed or has no row. */
export const purgeStatement = (db: Db, id: string, now: number) =>
	recordPurgesStatement(
		db,
		sql`
			select 'vault' as bucket, column1 as prefix
			from (values (${`${CHUNKS}${id}/`}), (${manifestObjectKey(id)}))
			where not exists (select 1 from ${backups} where ${backups.id} = ${id} and ${backups.state} <> 'failed')
		`,
		now,
	)

export const manifestTotals = ({ snapshotAt, schemaHash, tables, chunks }: Manifest) => ({
	snapshotAt,
	schemaHash,
	tables: tables.length,
	rows: tables.reduce((total, { rows }) => total + rows, 0),
	sizeBytes: chunks.reduce((total, { sizeBytes }) => total + sizeBytes, 0),
})

/** Backups as operators see them. `run/run-store.ts` has what a running one writes. */
export const backupStore = (db: Db) => ({
	async find(id: string): Promise<BackupRow | undefined> {
		const [row] = await db.select().from(backups).where(eq(backups.id, id))
		return row
	},

	/** Lists backups, newest first. */
	list(limit: number, position: Position | null): Promise<BackupRow[]> {
		return db
			.select()
			.from(backups)
			.where(comesBefore(backups.startedAt, backups.id, position))
			.orderBy(desc(backups.startedAt), desc(backups.id))
			.limit(limit + 1)
	},

	/** Lists the backups that began since an instant. */
	listSince(startedAt: number): Promise<BackupRow[]> {
		return db.select().from(backups).where(gte(backups.startedAt, startedAt))
	},

	/** Lists every backup that could be restored, newest first. There are a few dozen. */
	listCompleted(): Promise<BackupRow[]> {
		return db
			.select()
			.from(backups)
			.where(eq(backups.state, 'completed'))
			.orderBy(desc(backups.startedAt), desc(backups.id))
	},

	/** Deletes a backup that does not run. Returns false if there is none. */
	async delete(work: UnitOfWork, id: string, why: 'requested' | 'expired'): Promise<boolean> {
		const { deleted } = await batch(db, {
			deleted: db
				.delete(backups)
				.where(and(eq(backups.id, id), sql`${backups.state} <> 'running'`))
				.returning({ id: backups.id }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'backup.deleted',
				orgId: null,
				target: { kind: 'backup', id },
				details: { why },
			}),
			objectsPurged: purgeStatement(db, id, work.now),
		})
		return deleted.length === 1
	},

	async recordDrillStart(work: UnitOfWork, id: string): Promise<void> {
		await batch(db, {
			entryWritten: auditStatement(work, {
				action: 'backup.drill_started',
				orgId: null,
				target: { kind: 'backup', id },
			}),
		})
	},

	/** Records how a drill ended. A failed one does not change when and how fast a former one succeeded. */
	async recordDrill(
		id: string,
		result: Pick<BackupRow, 'drilledAt' | 'drillError'> &
			Partial<Pick<BackupRow, 'verifiedAt' | 'restoreSeconds'>>,
	): Promise<void> {
		await db.update(backups).set(result).where(eq(backups.id, id))
	},

	/** Returns whether a user still is a superadmin who may sign in. */
	async isSuperadmin(userId: number): Promise<boolean> {
		const rows = await db
			.select({ id: users.id })
			.from(users)
			.where(and(eq(users.id, userId), eq(users.isSuperadmin, true), isNull(users.lockedAt)))
		return rows.length === 1
	},

	async recordDownload(work: UnitOfWork, id: string): Promise<void> {
		await batch(db, {
			entryWritten: auditStatement(work, {
				action: 'backup.downloaded',
				orgId: null,
				target: { kind: 'backup', id },
			}),
		})
	},

	async pruneFailed(now: number): Promise<void> {
		await db
			.delete(backups)
			.where(and(eq(backups.state, 'failed'), lt(backups.startedAt, now - FAILED_KEPT_MS)))
	},

	/** Adds a backup whose manifest was found in the vault, since a restored database does not know it. */
	async adopt(manifest: Manifest): Promise<void> {
		await db
			.insert(backups)
			.values({
				id: manifest.id,
				reason: manifest.reason,
				state: 'completed',
				startedAt: manifest.startedAt,
				finishedAt: manifest.snapshotAt,
				sealedKey: KEY_DELETED,
				dueAt: manifest.snapshotAt,
				...manifestTotals(manifest),
			})
			.onConflictDoNothing()
	},
})

import { and, asc, count, desc, eq, gte, isNull, lt, sql } from 'drizzle-orm'
import { users } from '#schema/tables/identity.ts'
import { backupChanges, backupChunks, backups } from '#schema/tables/installation/backups.ts'
import { auditIfChangedStatement, auditStatement } from '../platform/audit/audit.ts'
import { DAY } from '../platform/clock.ts'
import { batch } from '../platform/database/batch.ts'
import type { Db } from '../platform/database/database.ts'
import { comesBefore, type Position } from '../platform/database/keyset.ts'
import { recordPurgesStatement } from '../platform/storage/storage-purge.ts'
import type { Manifest } from './format/manifest.ts'
import { BEFORE_ALL_ROWS } from './format/rowids.ts'
import { CHUNKS, manifestKeyOf } from './keys.ts'

const FAILED_KEPT_MS = 30 * DAY

export type BackupRow = typeof backups.$inferSelect
export type ChunkRow = typeof backupChunks.$inferSelect
type Progress = Pick<BackupRow, 'tableIndex' | 'afterRowid' | 'changesSeq'>

/** The manifest has the data key of a finished backup, and the row must not, if only a recipient may read it. */
const KEY_DELETED = ''
const ended = { plan: null, sealedKey: KEY_DELETED }

/** The row, as long as this attempt may write. */
const own = ({ id, attempt }: Pick<BackupRow, 'id' | 'attempt'>) =>
	and(eq(backups.id, id), eq(backups.attempt, attempt), eq(backups.state, 'running'))

export const backupStore = (db: Db) => {
	/** Has the objects of a backup deleted, unless it runs or is kept. */
	const purgeStatement = (id: string, now: number) =>
		recordPurgesStatement(
			db,
			sql`select 'vault' as bucket, column1 as prefix from (values (${`${CHUNKS}${id}/`}), (${manifestKeyOf(id)})) where not exists (select 1 from ${backups} where ${backups.id} = ${id} and ${backups.state} <> 'failed')`,
			now,
		)

	const ownChunks = (run: BackupRow) =>
		sql`${backupChunks.backupId} = ${run.id} and exists (select 1 from ${backups} where ${own(run)})`

	return {
		/** Inserts a running backup. Returns undefined if one runs already. */
		async start(row: Pick<BackupRow, 'id' | 'reason' | 'sealedKey' | 'startedAt' | 'dueAt'>) {
			const { started } = await batch(db, {
				started: db
					.insert(backups)
					.values({ ...row, state: 'running', afterRowid: BEFORE_ALL_ROWS })
					.onConflictDoNothing()
					.returning(),
				entryWritten: auditIfChangedStatement(db, {
					action: 'backup.started',
					orgId: null,
					target: { kind: 'backup', id: row.id },
					details: { reason: row.reason },
				}),
			})
			return started[0]
		},

		async find(id: string): Promise<BackupRow | undefined> {
			const [row] = await db.select().from(backups).where(eq(backups.id, id))
			return row
		},

		async findRunning(): Promise<BackupRow | undefined> {
			const [row] = await db.select().from(backups).where(eq(backups.state, 'running'))
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

		/** Begins the next attempt of a running backup, unless another one has begun meanwhile. */
		async take({ id, attempt }: Pick<BackupRow, 'id' | 'attempt'>, dueAt: number) {
			const [row] = await db
				.update(backups)
				.set({ attempt: attempt + 1, failures: sql`${backups.failures} + 1`, dueAt })
				.where(own({ id, attempt }))
				.returning()
			return row
		},

		/** Gives a requested backup its data key. Returns undefined if another attempt has begun. */
		async setKey(run: BackupRow, sealedKey: string) {
			const { keySet } = await batch(db, {
				keySet: db
					.update(backups)
					.set({ sealedKey, afterRowid: BEFORE_ALL_ROWS })
					.where(own(run))
					.returning(),
				entryWritten: auditIfChangedStatement(db, {
					action: 'backup.started',
					orgId: null,
					target: { kind: 'backup', id: run.id },
					details: { reason: run.reason },
				}),
			})
			return keySet[0]
		},

		/** Keeps why a step failed, for the operator. */
		async noteError(run: BackupRow, error: string): Promise<void> {
			await db.update(backups).set({ error }).where(own(run))
		},

		/** Stores the plan. Returns undefined if another attempt has begun. */
		async plan(run: BackupRow, plan: NonNullable<BackupRow['plan']>, dueAt: number) {
			const [row] = await db.update(backups).set({ plan, dueAt, failures: 0 }).where(own(run)).returning()
			return row
		},

		/** Records a stored chunk and what has been read with it, or returns undefined if another attempt has begun. */
		async addChunk(
			run: BackupRow,
			chunk: Omit<ChunkRow, 'backupId' | 'position'>,
			position: number,
			progress: Progress,
			dueAt: number,
		) {
			const { added, moved } = await batch(db, {
				added: db
					.insert(backupChunks)
					.select(
						sql`select ${run.id}, cast(${position} as integer), ${chunk.key}, ${chunk.sha256}, ${chunk.textSha256}, cast(${chunk.sizeBytes} as integer) from ${backups} where ${own(run)}`,
					)
					.returning({ position: backupChunks.position }),
				moved: db
					.update(backups)
					.set({ ...progress, dueAt, failures: 0 })
					.where(own(run))
					.returning(),
			})
			return added.length === 1 ? moved[0] : undefined
		},

		async deleteChunks(run: BackupRow): Promise<void> {
			await db.delete(backupChunks).where(ownChunks(run))
		},

		async move(run: BackupRow, progress: Progress, dueAt: number) {
			const [row] = await db
				.update(backups)
				.set({ ...progress, dueAt, failures: 0 })
				.where(own(run))
				.returning()
			return row
		},

		async countChunks(backupId: string): Promise<number> {
			const [row] = await db
				.select({ chunks: count() })
				.from(backupChunks)
				.where(eq(backupChunks.backupId, backupId))
			return row?.chunks ?? 0
		},

		/** Returns none if another attempt has begun. */
		listChunks(run: BackupRow): Promise<ChunkRow[]> {
			return db.select().from(backupChunks).where(ownChunks(run)).orderBy(asc(backupChunks.position))
		},

		/** Marks a backup as completed by its stored manifest. Returns false if it does not run. */
		async complete(id: string, manifest: Manifest, now: number): Promise<boolean> {
			const { completed } = await batch(db, {
				completed: db
					.update(backups)
					.set({ state: 'completed', finishedAt: now, error: null, ...ended, ...totalsOf(manifest) })
					.where(and(eq(backups.id, id), eq(backups.state, 'running')))
					.returning({ id: backups.id }),
				chunksDeleted: db.delete(backupChunks).where(eq(backupChunks.backupId, id)),
			})
			return completed.length === 1
		},

		/** Begins again, because the schema changed. */
		async restart(run: BackupRow, dueAt: number) {
			const { restarted } = await batch(db, {
				restarted: db
					.update(backups)
					.set({
						plan: null,
						tableIndex: 0,
						afterRowid: BEFORE_ALL_ROWS,
						changesSeq: 0,
						failures: 0,
						dueAt,
						restarts: run.restarts + 1,
					})
					.where(own(run))
					.returning(),
				chunksDeleted: db.delete(backupChunks).where(ownChunks(run)),
			})
			return restarted[0]
		},

		/** Gives a backup up and has its objects deleted. */
		async fail({ id }: Pick<BackupRow, 'id'>, error: string, now: number): Promise<void> {
			await batch(db, {
				failed: db
					.update(backups)
					.set({ state: 'failed', finishedAt: now, ...ended, error })
					.where(and(eq(backups.id, id), eq(backups.state, 'running'))),
				chunksDeleted: db.delete(backupChunks).where(eq(backupChunks.backupId, id)),
				objectsPurged: purgeStatement(id, now),
			})
		},

		/** Deletes a backup that does not run. Returns false if there is none. */
		async delete(id: string, now: number, why: 'requested' | 'expired'): Promise<boolean> {
			const { deleted } = await batch(db, {
				deleted: db
					.delete(backups)
					.where(and(eq(backups.id, id), sql`${backups.state} <> 'running'`))
					.returning({ id: backups.id }),
				entryWritten: auditIfChangedStatement(db, {
					action: 'backup.deleted',
					orgId: null,
					target: { kind: 'backup', id },
					details: { why },
				}),
				objectsPurged: purgeStatement(id, now),
			})
			return deleted.length === 1
		},

		async recordDrillStart(id: string): Promise<void> {
			await batch(db, {
				entryWritten: auditStatement(db, {
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

		async recordDownload(id: string): Promise<void> {
			await batch(db, {
				entryWritten: auditStatement(db, {
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
					...totalsOf(manifest),
				})
				.onConflictDoNothing()
		},

		/** Forgets the changes of dead runs. Called only while none is running. */
		async deleteChanges(): Promise<void> {
			const none = sql`not exists (select 1 from ${backups} where ${backups.state} = 'running')`
			await db.delete(backupChanges).where(none)
		},
	}
}

const totalsOf = ({ snapshotAt, schemaHash, tables, chunks }: Manifest) => ({
	snapshotAt,
	schemaHash,
	tables: tables.length,
	rows: tables.reduce((total, { rows }) => total + rows, 0),
	sizeBytes: chunks.reduce((total, { sizeBytes }) => total + sizeBytes, 0),
})

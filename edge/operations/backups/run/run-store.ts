import { and, asc, count, eq, sql } from 'drizzle-orm'
import { backupChanges, backupChunks, backups } from '#schema/tables/operations/backups.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import type { Manifest } from '../format/manifest.ts'
import { BEFORE_ALL_ROWS } from '../format/rowids.ts'
import { type BackupRow, type ChunkRow, KEY_DELETED, manifestTotals, purgeStatement } from '../store.ts'

type Progress = Pick<BackupRow, 'tableIndex' | 'afterRowid' | 'changesSeq'>

const ended = { plan: null, sealedKey: KEY_DELETED }

/** Matches the row while this attempt may write it. */
const own = ({ id, attempt }: Pick<BackupRow, 'id' | 'attempt'>) =>
	and(eq(backups.id, id), eq(backups.attempt, attempt), eq(backups.state, 'running'))

const ownChunks = (run: BackupRow) =>
	sql`${backupChunks.backupId} = ${run.id} and exists (select 1 from ${backups} where ${own(run)})`

const startedEntry = (work: UnitOfWork, { id, reason }: Pick<BackupRow, 'id' | 'reason'>) =>
	auditIfChangedStatement(work, {
		action: 'backup.started',
		orgId: null,
		target: { kind: 'backup', id },
		details: { reason },
	})

/** What a running backup writes, from its start to its end. */
export const runStore = (db: Db) => ({
	/** Inserts a running backup. Returns undefined if one runs already. */
	async start(work: UnitOfWork, row: Pick<BackupRow, 'id' | 'reason' | 'sealedKey' | 'startedAt' | 'dueAt'>) {
		const { started } = await batch(db, {
			started: db
				.insert(backups)
				.values({ ...row, state: 'running', afterRowid: BEFORE_ALL_ROWS })
				.onConflictDoNothing()
				.returning(),
			entryWritten: startedEntry(work, row),
		})
		return started[0]
	},

	async findRunning(): Promise<BackupRow | undefined> {
		const [row] = await db.select().from(backups).where(eq(backups.state, 'running'))
		return row
	},

	/** Begins the next attempt of a running backup, unless another one has begun meanwhile. */
	async claimStep({ id, attempt }: Pick<BackupRow, 'id' | 'attempt'>, dueAt: number) {
		const [row] = await db
			.update(backups)
			.set({ attempt: attempt + 1, failures: sql`${backups.failures} + 1`, dueAt })
			.where(own({ id, attempt }))
			.returning()
		return row
	},

	/** Gives a requested backup its data key. Returns undefined if another attempt has begun. */
	async setKey(work: UnitOfWork, run: BackupRow, sealedKey: string) {
		const { keySet } = await batch(db, {
			keySet: db.update(backups).set({ sealedKey, afterRowid: BEFORE_ALL_ROWS }).where(own(run)).returning(),
			entryWritten: startedEntry(work, run),
		})
		return keySet[0]
	},

	/** Keeps why a step failed, for the operator. */
	async recordError(run: BackupRow, error: string): Promise<void> {
		await db.update(backups).set({ error }).where(own(run))
	},

	/** Stores the plan. Returns undefined if another attempt has begun. */
	async plan(run: BackupRow, plan: NonNullable<BackupRow['plan']>, dueAt: number) {
		const [row] = await db
			.update(backups)
			.set({ plan, dueAt, failures: 0, error: null })
			.where(own(run))
			.returning()
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
					sql`
						select ${run.id}, cast(${position} as integer), ${chunk.key}, ${chunk.sha256},
							${chunk.textSha256}, cast(${chunk.sizeBytes} as integer)
						from ${backups}
						where ${own(run)}
					`,
				)
				.returning({ position: backupChunks.position }),
			moved: db
				.update(backups)
				.set({ ...progress, dueAt, failures: 0, error: null })
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
			.set({ ...progress, dueAt, failures: 0, error: null })
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
				.set({ state: 'completed', finishedAt: now, error: null, ...ended, ...manifestTotals(manifest) })
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
					error: null,
					dueAt,
					restarts: run.restarts + 1,
				})
				.where(own(run))
				.returning(),
			chunksDeleted: db.delete(backupChunks).where(ownChunks(run)),
		})
		return restarted[0]
	},

	/** Marks a running backup as failed and purges its objects. */
	async fail({ id }: Pick<BackupRow, 'id'>, error: string, now: number): Promise<void> {
		await batch(db, {
			failed: db
				.update(backups)
				.set({ state: 'failed', finishedAt: now, ...ended, error })
				.where(and(eq(backups.id, id), eq(backups.state, 'running'))),
			chunksDeleted: db.delete(backupChunks).where(eq(backupChunks.backupId, id)),
			objectsPurged: purgeStatement(db, id, now),
		})
	},

	/** Deletes the recorded changes of dead runs, unless a backup is running. */
	async deleteChanges(): Promise<void> {
		const none = sql`not exists (select 1 from ${backups} where ${backups.state} = 'running')`
		await db.delete(backupChanges).where(none)
	},
})

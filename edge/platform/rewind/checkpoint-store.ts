import { and, gt, lt, ne, type SQL, sql } from 'drizzle-orm'
import { repairSteps } from '#schema/contract/operations/rewind/repair-steps.ts'
import { checkpoints, rewindRepairs } from '#schema/tables/platform.ts'
import { MINUTE } from '../clock.ts'
import { batch } from '../database/batch.ts'
import type { Db } from '../database/database.ts'
import { insertSelect } from '../database/insert-select.ts'

export type Checkpoint = { number: number; nonce: string }

/** The database's checkpoint state. */
export type DatabaseState = {
	/** The nonce of checkpoint 0; null before the first one. */
	installationId: string | null
	newest: number | null
	newestNonce: string | null
	/** Whether the database has the vault's checkpoint. */
	hasCheckpoint: boolean
	/** The repair that blocks requests. */
	repairId: string | null
}

/** More than a day. Any run that read an older checkpoint from the vault has ended by then. */
const KEPT = 1_500
/** A run that read the vault before a repair ended must not restart that repair. */
const RESTART_AFTER_MS = 10 * MINUTE

/** Returns the condition that the database has a checkpoint. */
export const hasCheckpoint = ({ number, nonce }: Checkpoint): SQL =>
	sql`exists (select 1 from checkpoints as known where known.number = ${number} and known.nonce = ${nonce})`

export const checkpointStore = (db: Db) => ({
	async findState(checkpoint: Checkpoint | null): Promise<DatabaseState> {
		const [row] = await db.all<DatabaseState>(sql`
			select (select nonce from checkpoints where number = 0) as "installationId",
				(select max(number) from checkpoints) as "newest",
				(select nonce from checkpoints order by number desc limit 1) as "newestNonce",
				${checkpoint ? hasCheckpoint(checkpoint) : sql`0`} as "hasCheckpoint",
				(
					select id from rewind_repairs
					where ended_at is null and opened_at is null
					order by started_at desc limit 1
				) as "repairId"
		`)
		const state = row as DatabaseState
		return { ...state, hasCheckpoint: Boolean(state.hasCheckpoint) }
	},

	/**
	 * Begins the repair of a database that lacks the checkpoint. As a write, it runs on the primary: a lagging replica
	 * also lacks new checkpoints. Returns whether the repair is new.
	 */
	async beginRepair(id: string, checkpoint: Checkpoint | null, now: number): Promise<boolean> {
		const isMissing = checkpoint ? sql`not ${hasCheckpoint(checkpoint)}` : sql`true`
		const { repairBegun } = await batch(db, {
			// A backup may have been made during a repair.
			othersEnded: db
				.update(rewindRepairs)
				.set({ step: null, endedAt: now })
				.where(and(sql`${rewindRepairs.endedAt} is null`, ne(rewindRepairs.id, id), isMissing)),
			repairBegun: insertSelect(
				db,
				rewindRepairs,
				{
					id,
					checkpoint: sql`coalesce((select max(number) from checkpoints), 0)`,
					step: repairSteps[0],
					counts: {},
					startedAt: now,
				},
				sql`where ${isMissing}`,
			)
				.onConflictDoUpdate({
					target: rewindRepairs.id,
					set: {
						step: repairSteps[0],
						cursor: null,
						counts: {},
						startedAt: now,
						openedAt: null,
						endedAt: null,
					},
					setWhere: lt(rewindRepairs.endedAt, now - RESTART_AFTER_MS),
				})
				.returning({ id: rewindRepairs.id }),
		})
		return repairBegun.length === 1
	},

	/** Inserts the first checkpoints, unless the database has some. */
	insertFirstStatements: (first: Checkpoint, next: Checkpoint, now: number) =>
		[first, next].map(({ number, nonce }) =>
			db.insert(checkpoints).values({ number, nonce, createdAt: now }).onConflictDoNothing(),
		),

	/** Inserts a checkpoint if the database has the one of the vault, so that a restored database never gets one. */
	insertAfterStatement: (checkpoint: Checkpoint, nonce: string, now: number) =>
		insertSelect(
			db,
			checkpoints,
			{ number: sql`(select max(number) + 1 from checkpoints)`, nonce, createdAt: now },
			sql`where ${hasCheckpoint(checkpoint)}`,
		).returning({ number: checkpoints.number }),

	/** Keeps the vault's checkpoint, however old. */
	pruneStatement: ({ number }: Checkpoint) =>
		db
			.delete(checkpoints)
			.where(
				and(
					gt(checkpoints.number, 0),
					lt(checkpoints.number, number),
					lt(checkpoints.number, sql`(select max(newest.number) - ${KEPT} from checkpoints as newest)`),
				),
			),
})

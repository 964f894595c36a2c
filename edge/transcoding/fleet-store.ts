import { and, eq, gte, isNull, sql } from 'drizzle-orm'
import { machines } from '#schema/tables/fleet.ts'
import type { Db } from '../platform/database.ts'
import { isOpen, lanesTable } from './lanes.ts'

type Capable = { id: string; lastSeenAt: number; encoders: readonly string[] }

const columns = {
	id: machines.id,
	lastSeenAt: machines.lastSeenAt,
	encoders: sql<string>`${machines.capabilities} -> '$.encoders'`.as('encoders'),
}

const parse = (rows: (Omit<Capable, 'encoders'> & { encoders: string })[]): Capable[] =>
	rows.map(({ encoders, ...row }) => ({ ...row, encoders: JSON.parse(encoders) }))

/** What the job graph asks about machines; they themselves are edge/diagnostics' to write. */
export const fleetStore = (db: Db) => ({
	/** Those that take work now, with the encoders they proved. */
	async listCapable(seenSince: number): Promise<Capable[]> {
		return parse(
			await db
				.select(columns)
				.from(machines)
				.where(
					and(gte(machines.lastSeenAt, seenSince), eq(machines.state, 'online'), isNull(machines.pausedAt)),
				),
		)
	},

	/** Those that were there since then, whatever they do now, and that may come back. */
	async listSeen(seenSince: number): Promise<Capable[]> {
		return parse(
			await db
				.select(columns)
				.from(machines)
				.where(and(gte(machines.lastSeenAt, seenSince), isNull(machines.evictedAt))),
		)
	},

	/** Kinds of open tasks and the encoders they need, for each organization that waits: a walk along the index. */
	async listLanes(): Promise<{ orgId: string; lane: string }[]> {
		return db.all(sql`with recursive ${lanesTable}
			select org_id as "orgId", lane from lanes`)
	},

	/** Whose tasks were made before. */
	async listJobsOfLane(orgId: string, lane: string, before: number, limit: number): Promise<string[]> {
		const rows = await db.all<{ jobId: string }>(
			sql`select distinct task.job_id as "jobId" from tasks as task where ${isOpen} and task.org_id = ${orgId} and task.lane = ${lane} and task.created_at <= ${before} limit ${limit}`,
		)
		return rows.map(({ jobId }) => jobId)
	},
})

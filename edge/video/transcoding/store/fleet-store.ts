import { and, eq, gte, isNull, sql } from 'drizzle-orm'
import { machines } from '#schema/tables/video/fleet.ts'
import type { Db } from '../../../platform/database/database.ts'
import { isOpen, lanesTable } from './lanes.ts'

type MachineEncoders = { id: string; lastSeenAt: number; encoders: readonly string[] }

const columns = {
	id: machines.id,
	lastSeenAt: machines.lastSeenAt,
	encoders: sql<string>`${machines.capabilities} -> '$.encoders'`.as('encoders'),
}

const parseEncoders = (
	rows: (Omit<MachineEncoders, 'encoders'> & { encoders: string })[],
): MachineEncoders[] => rows.map(({ encoders, ...row }) => ({ ...row, encoders: JSON.parse(encoders) }))

/** Queries about machines for transcoding. Only edge/video/fleet writes the table. */
export const fleetStore = (db: Db) => ({
	/** Lists the machines that accept work now, with their proved encoders. */
	async listCapable(seenSince: number): Promise<MachineEncoders[]> {
		return parseEncoders(
			await db
				.select(columns)
				.from(machines)
				.where(
					and(gte(machines.lastSeenAt, seenSince), eq(machines.state, 'online'), isNull(machines.pausedAt)),
				),
		)
	},

	/** Lists the machines seen since then in any state, except evicted ones. */
	async listSeen(seenSince: number): Promise<MachineEncoders[]> {
		return parseEncoders(
			await db
				.select(columns)
				.from(machines)
				.where(and(gte(machines.lastSeenAt, seenSince), isNull(machines.evictedAt))),
		)
	},

	/** Lists the lanes with open tasks of each organization, by an index scan. */
	async listLanes(): Promise<{ orgId: string; lane: string }[]> {
		return db.all(sql`with recursive ${lanesTable}
			select org_id as "orgId", lane from lanes`)
	},

	/** Lists jobs with open tasks in a lane that were created before the given time. */
	async listJobsInLane(orgId: string, lane: string, before: number, limit: number): Promise<string[]> {
		const rows = await db.all<{ jobId: string }>(
			sql`
				select distinct task.job_id as "jobId" from tasks as task
				where ${isOpen} and task.org_id = ${orgId} and task.lane = ${lane} and task.created_at <= ${before}
				limit ${limit}
			`,
		)
		return rows.map(({ jobId }) => jobId)
	},
})

import { and, eq, lte, sql } from 'drizzle-orm'
import type { RepairStep } from '#schema/contract/operations/rewind/repair-steps.ts'
import { rewindRepairs as repairs } from '#schema/tables/platform.ts'
import type { Db } from '../../../platform/database/database.ts'

export type Repair = typeof repairs.$inferSelect

export const repairStore = (db: Db) => ({
	/** Leases the newest unfinished repair to one run. */
	async claim(now: number, leaseUntil: number): Promise<Repair | undefined> {
		const newest = sql`
			(select r.id from rewind_repairs r where r.ended_at is null order by r.started_at desc limit 1)
		`
		const [row] = await db
			.update(repairs)
			.set({ leaseUntil })
			.where(and(eq(repairs.id, newest), lte(repairs.leaseUntil, now)))
			.returning()
		return row
	},

	/** Records the progress of a step, and renews the lease. Returns undefined if another run has taken over. */
	async advance(
		{ id, step, leaseUntil }: Repair,
		next: { step: RepairStep | null; cursor: string | null; changed: number; leaseUntil: number },
		now: number,
	): Promise<Repair | undefined> {
		const path = `$."${step}"`
		const [row] = await db
			.update(repairs)
			.set({
				step: next.step,
				cursor: next.cursor,
				counts: sql`json_set(
					${repairs.counts}, ${path},
					coalesce(${repairs.counts} ->> ${path}, 0) + cast(${next.changed} as integer)
				)`,
				leaseUntil: next.leaseUntil,
				...(step === 'reopen' && next.step !== 'reopen' && { openedAt: now }),
				...(next.step === null && { endedAt: now }),
			})
			.where(and(eq(repairs.id, id), sql`${repairs.step} = ${step}`, eq(repairs.leaseUntil, leaseUntil)))
			.returning()
		return row
	},

	async release({ id, leaseUntil }: Repair): Promise<void> {
		await db
			.update(repairs)
			.set({ leaseUntil: 0 })
			.where(and(eq(repairs.id, id), eq(repairs.leaseUntil, leaseUntil)))
	},

	async findNewest(): Promise<Repair | undefined> {
		const [row] = await db.select().from(repairs).orderBy(sql`${repairs.startedAt} desc`).limit(1)
		return row
	},
})

import { and, eq, lte, sql } from 'drizzle-orm'
import { aiCalls, aiDeliveries } from '#schema/tables/ai/providers.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { announceObjectStatement } from '../../../platform/storage/announced-objects.ts'
import { sweepRows } from '../../../platform/work/sweep.ts'
import { isOpenStatus } from '../calls/store.ts'

export type DeliveryRow = typeof aiDeliveries.$inferSelect

/** Raw bodies may contain speech, so they are private. */
export const BODY_BUCKET = 'vault'
/** An unhandled delivery is requeued after this time. */
export const RESEND_MS = 5 * MINUTE

const isDelivery = ({ callId, deliveryId }: Pick<DeliveryRow, 'callId' | 'deliveryId'>) =>
	and(eq(aiDeliveries.callId, callId), eq(aiDeliveries.deliveryId, deliveryId))
const isCallOpen = (callId: string) =>
	sql`exists (select 1 from ${aiCalls} where ${aiCalls.id} = ${callId} and ${isOpenStatus})`

/** Finds deliveries whose message was lost. */
export const deliverySweep = sweepRows(
	{ at: aiDeliveries.dueAt, leaseMs: RESEND_MS },
	{ callId: aiDeliveries.callId, deliveryId: aiDeliveries.deliveryId },
	(delivery) => ({ type: 'ai.callback', ...delivery }),
)

export const deliveryStore = (db: Db) => ({
	async find(callId: string, deliveryId: string): Promise<DeliveryRow | undefined> {
		const [row] = await db.select().from(aiDeliveries).where(isDelivery({ callId, deliveryId }))
		return row
	},

	/** Announces the stored body, which the sweep deletes at `sweepAt`. Returns false if the call has ended. */
	async announceBody(callId: string, bodyKey: string, sweepAt: number): Promise<boolean> {
		return (await announceObjectStatement(db, BODY_BUCKET, bodyKey, sweepAt, isCallOpen(callId))).length === 1
	},

	/** Records a delivery once. Returns false if it exists, or the call has ended. */
	async record(row: DeliveryRow): Promise<boolean> {
		const recorded = await insertSelect(db, aiDeliveries, row, sql`where ${isCallOpen(row.callId)}`)
			.onConflictDoNothing()
			.returning({ callId: aiDeliveries.callId })
		return recorded.length === 1
	},

	async finish(row: Pick<DeliveryRow, 'callId' | 'deliveryId'>): Promise<void> {
		await db.update(aiDeliveries).set({ dueAt: null }).where(isDelivery(row))
	},

	async prune(before: number): Promise<void> {
		await db.delete(aiDeliveries).where(lte(aiDeliveries.receivedAt, before))
	},
})

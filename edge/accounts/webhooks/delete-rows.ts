import { type SQL, sql } from 'drizzle-orm'
import { webhookAttempts, webhookDeliveries } from '#schema/tables/accounts/webhooks.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { ROWS_AT_ONCE } from './conditions.ts'

const MAX_STEPS = 200

/** Deletes deliveries and attempts in a limited number of steps. The next nights delete the rest. */
export async function deleteRows(db: Db, which: { deliveries: SQL; attempts: SQL }): Promise<void> {
	const someDeliveries = sql`
		select rowid from ${webhookDeliveries} where ${which.deliveries} limit ${ROWS_AT_ONCE}
	`
	const someAttempts = sql`select rowid from ${webhookAttempts} where ${which.attempts} limit ${ROWS_AT_ONCE}`
	for (let step = 0; step < MAX_STEPS; step++) {
		const { deliveriesDeleted, attemptsDeleted } = await batch(db, {
			deliveriesDeleted: db
				.delete(webhookDeliveries)
				.where(sql`rowid in (${someDeliveries})`)
				.returning({ one: sql<number>`1` }),
			attemptsDeleted: db
				.delete(webhookAttempts)
				.where(sql`rowid in (${someAttempts})`)
				.returning({ one: sql<number>`1` }),
		})
		if (Math.max(deliveriesDeleted.length, attemptsDeleted.length) < ROWS_AT_ONCE) return
	}
}

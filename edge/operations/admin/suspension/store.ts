import { eq, type SQL, sql } from 'drizzle-orm'
import type { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { taskStore } from '../../../video/transcoding/store/task-store.ts'

const state = {
	orgId: orgs.id,
	suspendedAt: orgs.suspendedAt,
	suspensionReasons: orgs.suspensionReasons,
}

const applies = (reason: SuspensionReason): SQL =>
	sql`exists (select 1 from json_each(${orgs.suspensionReasons}) as given where given.value = ${reason})`

/** Returns SQL that aggregates a selection of `value` into a sorted JSON array. */
const sortedReasons = (values: SQL): SQL =>
	sql`json((select json_group_array(value) from (${values} order by value)))`

/** Returns a statement that changes the reasons, or no row if they already match. */
function changeStatement(db: Db, orgId: string, { values, condition }: Change, now: number) {
	const reasons = sortedReasons(values)
	const isFull = sql`exists (select 1 from json_each(${reasons}) as kept where kept.value <> 'billing')`
	return db
		.update(orgs)
		.set({
			suspensionReasons: reasons,
			suspendedAt: sql`case when ${isFull} then coalesce(${orgs.suspendedAt}, ${now}) end`,
			suspensionChangedAt: now,
		})
		.where(sql`${orgs.id} = ${orgId} and ${condition}`)
		.returning({ orgId: orgs.id })
}

type Change = { values: SQL; condition: SQL }

const added = (reason: SuspensionReason): Change => ({
	values: sql`select value from json_each(${orgs.suspensionReasons}) union select ${reason}`,
	condition: sql`not ${applies(reason)}`,
})

const removed = (reason: SuspensionReason): Change => ({
	values: sql`select value from json_each(${orgs.suspensionReasons}) where value <> ${reason}`,
	condition: applies(reason),
})

const entry = (action: 'org.suspended' | 'org.unsuspended', orgId: string, reason: SuspensionReason) => ({
	action,
	orgId,
	target: { kind: 'org' as const, id: orgId },
	details: { reason },
})

export const suspensionStore = (db: Db) => ({
	/** Adds a reason. A full suspension also revokes the leases of running tasks, so that none of them counts as an attempt. */
	async suspend(work: UnitOfWork, orgId: string, reason: SuspensionReason) {
		const { changed, tasksTaken, found } = await batch(db, {
			changed: changeStatement(db, orgId, added(reason), work.now),
			entryWritten: auditIfChangedStatement(work, entry('org.suspended', orgId, reason)),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'org.suspended',
				orgId,
				payload: { reason },
			}),
			tasksTaken: taskStore(db).requeueSuspendedStatement(orgId, work.now),
			found: db.select(state).from(orgs).where(eq(orgs.id, orgId)),
		})
		return { org: found[0], isChanged: changed.length === 1, tasksTaken }
	},

	async unsuspend(work: UnitOfWork, orgId: string, reason: SuspensionReason) {
		const { changed, found } = await batch(db, {
			changed: changeStatement(db, orgId, removed(reason), work.now),
			entryWritten: auditIfChangedStatement(work, entry('org.unsuspended', orgId, reason)),
			found: db.select(state).from(orgs).where(eq(orgs.id, orgId)),
		})
		return { org: found[0], isChanged: changed.length === 1 }
	},
})

export type SuspendedOrg = NonNullable<
	Awaited<ReturnType<ReturnType<typeof suspensionStore>['unsuspend']>>['org']
>

import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import type { Db } from './database/database.ts'

/** The scope of a suspension: nothing, new uploads and encodes (`billing`), or everything. */
export type Suspension = 'none' | 'partial' | 'full'

/** The columns that determine whether an organization is suspended. */
export type SuspensionRow = { suspendedAt: number | null; suspensionReasons: readonly SuspensionReason[] }

export function deriveSuspension({ suspendedAt, suspensionReasons }: SuspensionRow): Suspension {
	if (suspendedAt !== null) return 'full'
	return suspensionReasons.length > 0 ? 'partial' : 'none'
}

/** Returns a condition for an organization that is suspended as given, or whose reasons changed after `since`. */
const suspendedSince =
	(isSuspended: SQL) =>
	(orgId: SQLWrapper, since: number): SQL =>
		sql`exists (
			select 1 from orgs as suspended
			where suspended.id = ${orgId} and (${isSuspended} or suspended.suspension_changed_at > ${since})
		)`

/**
 * SQL condition: the organization is fully suspended, or its reasons changed after `since`. Time limits then restart.
 */
export const wasSuspendedSince = suspendedSince(sql`suspended.suspended_at is not null`)

/** SQL condition: like `wasSuspendedSince`, and also while a bill is unpaid, since no job begins then. */
export const couldNotBeginSince = suspendedSince(sql`suspended.suspension_reasons <> '[]'`)

export async function wasOrgSuspendedSince(db: Db, orgId: string, since: number): Promise<boolean> {
	const rows = await db.all(sql`select 1 as suspended where ${wasSuspendedSince(sql`${orgId}`, since)}`)
	return rows.length > 0
}

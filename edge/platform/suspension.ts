import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SuspensionReason } from '#schema/contract/platform/admin/suspension.ts'

/** What is suspended: nothing, new uploads and encodes (for `billing`), or the whole organization. */
export type Suspension = 'none' | 'partial' | 'full'

/** The columns of an organization that say whether it is suspended. */
export type SuspensionRow = { suspendedAt: number | null; suspensionReasons: readonly SuspensionReason[] }

export function suspensionOf({ suspendedAt, suspensionReasons }: SuspensionRow): Suspension {
	if (suspendedAt !== null) return 'full'
	return suspensionReasons.length > 0 ? 'partial' : 'none'
}

/** SQL condition: an organization was fully suspended at some time after `since`, so its time limits did not run. */
export const wasHeldSince = (orgId: SQLWrapper, since: number): SQL =>
	sql`exists (select 1 from orgs as held where held.id = ${orgId} and (held.suspended_at is not null or held.suspension_changed_at > ${since}))`

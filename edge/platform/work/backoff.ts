import { type SQL, sql } from 'drizzle-orm'

/** The first wait, and the longest. */
export type Backoff = { firstMs: number; maxMs: number }

/** Returns the first wait, doubled so many times. */
export const computeBackoffMs = ({ firstMs, maxMs }: Backoff, doublings: number): number =>
	Math.min(firstMs * 2 ** doublings, maxMs)

/** The same in a statement. The second limit keeps the shift from overflowing. */
export const backoffSql = (
	{ firstMs, maxMs }: { firstMs: number | SQL; maxMs: number },
	doublings: SQL,
): SQL => sql`min((${firstMs}) << min(${doublings}, 20), ${maxMs})`

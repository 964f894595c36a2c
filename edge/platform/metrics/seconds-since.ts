import { type SQL, sql } from 'drizzle-orm'

/** Returns the seconds since an instant, or 0 if it is null or later. */
export const computeSecondsSince = (instant: SQL, now: number): SQL =>
	sql`coalesce(max(0, (${now} - ${instant}) / 1000.0), 0)`

import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { attempts } from '#schema/tables/accounts/identity.ts'
import { tooManyRequestsError } from '../../http/errors.ts'
import { DAY, MINUTE } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { Secrets } from '../../platform/tokens/secrets.ts'
import { backoffSql } from '../../platform/work/backoff.ts'

/**
 * Limits the attempts in a time window. Each attempt is counted first, whether or not the account exists, so the
 * response does not disclose accounts. A success uncounts its attempt.
 */
export type Rule = { name: string; limit: number; windowMs: number }

/**
 * Slows attempts down instead of blocking them. After `free` attempts, the wait before each further one doubles, up to
 * the longest `WAIT`. The count is deleted a day after the last attempt.
 */
export type Pace = { name: string; free: number }

const WAIT = { firstMs: MINUTE, maxMs: 15 * MINUTE }

export type Counted = { rule: Rule | Pace; subject: string }

export function attemptCounter(db: Db, secrets: Secrets, now: number) {
	const keyOf = ({ rule, subject }: Counted) => secrets.hmac('attempt-subject', `${rule.name} ${subject}`)

	return {
		/**
		 * Counts all attempts in one statement. Throws 429 and counts none if one is over its limit, so that a rejected
		 * attempt doesn't use up shared limits. Returns false and counts none unless `condition` holds.
		 */
		async count(
			counted: readonly (Counted & { rule: Rule })[],
			condition: SQL = sql`true`,
		): Promise<boolean> {
			const keys = await Promise.all(counted.map(keyOf))
			const each = sql`(
				select value ->> 'subject' as subject, value ->> 'limit' as most, value ->> 'endsAt' as ends_at
				from json_each(${JSON.stringify(
					counted.map(({ rule: { limit, windowMs } }, i) => ({
						subject: keys[i],
						limit,
						endsAt: now + windowMs,
					})),
				)})
			)`
			const over = sql`
				from ${each} w
				left join attempts a on a.subject = w.subject and a.window_ends_at > ${now}
				where coalesce(a.count, 0) >= w.most
			`
			const rows = await insertSelect(
				db,
				attempts,
				{ subject: sql`v.subject`, count: 1, windowEndsAt: sql`v.ends_at` },
				sql`from ${each} v where ${condition} and not exists (select 1 ${over})`,
			)
				.onConflictDoUpdate({
					target: attempts.subject,
					set: {
						count: sql`case when ${attempts.windowEndsAt} <= ${now} then 1 else ${attempts.count} + 1 end`,
						windowEndsAt: sql`
							case
								when ${attempts.windowEndsAt} <= ${now} then excluded.window_ends_at
								else ${attempts.windowEndsAt}
							end
						`,
					},
				})
				.returning({ subject: attempts.subject })
			if (rows.length > 0) return true
			const [refused] = await db.all<{ endsAt: number }>(
				sql`select coalesce(a.window_ends_at, w.ends_at) as endsAt ${over} and ${condition} limit 1`,
			)
			if (refused) throw tooManyRequestsError((refused.endsAt - now) / 1000)
			return false
		},

		/** Counts an attempt and returns the count. Throws 429 without counting while the caller must wait. */
		async pace(counted: { rule: Pace; subject: string }): Promise<number> {
			const subject = await keyOf(counted)
			const count = sql`case when ${attempts.windowEndsAt} <= ${now} then 1 else ${attempts.count} + 1 end`
			const over = sql`(${count}) - ${counted.rule.free}`
			const [admitted] = await db
				.insert(attempts)
				.values({ subject, count: 1, windowEndsAt: now + DAY })
				.onConflictDoUpdate({
					target: attempts.subject,
					set: {
						count,
						windowEndsAt: now + DAY,
						// Free attempts set no time, because the clock of a concurrent attempt may be behind.
						nextAt: sql`case when ${over} < 0 then 0 else ${now} + ${backoffSql(WAIT, over)} end`,
					},
					setWhere: sql`${attempts.windowEndsAt} <= ${now} or ${attempts.nextAt} <= ${now}`,
				})
				.returning({ count: attempts.count })
			if (admitted) return admitted.count
			const [waiting] = await db
				.select({ nextAt: attempts.nextAt })
				.from(attempts)
				.where(eq(attempts.subject, subject))
			throw tooManyRequestsError(((waiting?.nextAt ?? now) - now) / 1000)
		},

		/** Deletes the counts of these subjects. */
		async forgive(counted: readonly Counted[]): Promise<void> {
			await db.delete(attempts).where(inArray(attempts.subject, await Promise.all(counted.map(keyOf))))
		},

		/** Uncounts one attempt; concurrent attempts stay counted. */
		async takeBack(counted: Counted): Promise<void> {
			await db
				.update(attempts)
				.set({ count: sql`${attempts.count} - 1`, nextAt: 0 })
				.where(and(eq(attempts.subject, await keyOf(counted)), sql`${attempts.count} > 0`))
		},
	}
}

export type AttemptCounter = ReturnType<typeof attemptCounter>

export async function pruneAttempts(db: Db, now: number): Promise<void> {
	await db.delete(attempts).where(lt(attempts.windowEndsAt, now))
}

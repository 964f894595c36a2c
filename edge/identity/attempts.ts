import { inArray, lt, sql } from 'drizzle-orm'
import { attempts } from '#schema/tables/identity.ts'
import { tooManyRequests } from '../http/errors.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database.ts'
import type { Secrets } from '../platform/secrets.ts'

/**
 * Exact counters against guessing. Each try counts before any work is done for it, whether the account exists or
 * not, so the limit tells nothing. A success takes the account's counter back, not the address's.
 */
type Rule = { name: string; limit: number; windowMs: number }

export const loginByAccountAndIp: Rule = { name: 'login account ip', limit: 10, windowMs: 15 * MINUTE }
export const loginByAccount: Rule = { name: 'login account', limit: 100, windowMs: DAY }
export const loginByIp: Rule = { name: 'login ip', limit: 300, windowMs: 15 * MINUTE }
export const signupByIp: Rule = { name: 'signup ip', limit: 50, windowMs: HOUR }
export const codeByIp: Rule = { name: 'code ip', limit: 100, windowMs: HOUR }
/** Fewer than the fifty tries that ten codes a day would allow: past that the address waits until the day is over. */
export const codeByAccount: Rule = { name: 'code account', limit: 30, windowMs: DAY }
export const passwordByUser: Rule = { name: 'password user', limit: 10, windowMs: 15 * MINUTE }

export type Counted = { rule: Rule; subject: string }

export function attemptCounter(db: Db, secrets: Secrets, now: number) {
	const keyOf = ({ rule, subject }: Counted) => secrets.hmac('attempt-subject', `${rule.name} ${subject}`)

	return {
		/** Counts all of them in one statement; 429 when one is over its limit. */
		async count(counted: readonly Counted[]): Promise<void> {
			const keys = await Promise.all(counted.map(keyOf))
			const rows = await db
				.insert(attempts)
				.values(
					counted.map(({ rule }, i) => ({
						subject: keys[i] as string,
						count: 1,
						windowEndsAt: now + rule.windowMs,
					})),
				)
				.onConflictDoUpdate({
					target: attempts.subject,
					set: {
						count: sql`case when ${attempts.windowEndsAt} <= ${now} then 1 else ${attempts.count} + 1 end`,
						windowEndsAt: sql`case when ${attempts.windowEndsAt} <= ${now} then excluded.window_ends_at else ${attempts.windowEndsAt} end`,
					},
				})
				.returning()
			for (const [i, { rule }] of counted.entries()) {
				const row = rows.find((candidate) => candidate.subject === keys[i])
				if (row && row.count > rule.limit) throw tooManyRequests((row.windowEndsAt - now) / 1000)
			}
		},
		async forgive(counted: readonly Counted[]): Promise<void> {
			await db.delete(attempts).where(inArray(attempts.subject, await Promise.all(counted.map(keyOf))))
		},
	}
}

export async function forgetAttempts(db: Db, now: number): Promise<void> {
	await db.delete(attempts).where(lt(attempts.windowEndsAt, now))
}

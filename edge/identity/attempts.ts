import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { attempts } from '#schema/tables/identity.ts'
import { tooManyRequests } from '../http/errors.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database.ts'
import type { Secrets } from '../platform/secrets.ts'

/**
 * Exact counters against guessing. Each try counts before any work is done for it, whether the account exists or
 * not, so an answer does not disclose accounts. A success takes its own try back.
 */
type Rule = { name: string; limit: number; windowMs: number }

export const loginByIp: Rule = { name: 'login ip', limit: 300, windowMs: 15 * MINUTE }
export const signupByIp: Rule = { name: 'signup ip', limit: 50, windowMs: HOUR }
export const codeByIp: Rule = { name: 'code ip', limit: 100, windowMs: HOUR }
/** Fewer than a code bears, so that strangers in one network can't use up the code of somebody else. */
export const codeByAccountAndSite: Rule = { name: 'code account site', limit: 5, windowMs: 10 * MINUTE }
export const codeByDevice: Rule = { name: 'code device', limit: 5, windowMs: 10 * MINUTE }
/** Each sign-in makes another known device, so all of an account and its open sessions have this together. */
export const codeByKnownDevices: Rule = { name: 'code devices', limit: 30, windowMs: DAY }
/** Tries of codes that verify or change the address of one's own account. */
export const addressCodeByUser: Rule = { name: 'address code user', limit: 30, windowMs: DAY }
export const passwordByUser: Rule = { name: 'password user', limit: 10, windowMs: 15 * MINUTE }

/**
 * Slows down instead of locking: so many tries are free, then each next one has to wait twice as long, up to
 * `MOST_WAIT_MS`. Forgotten a day after the last try.
 */
type Pace = { name: string; free: number }

export const loginByDevice: Pace = { name: 'login device', free: 10 }
export const loginByAccountAndSite: Pace = { name: 'login account site', free: 10 }
/** All strangers together, in two queues: those of sites that hardly tried so far, and those of the others. */
export const loginFromFreshSites: Pace = { name: 'login account fresh', free: 20 }
export const loginFromWornSites: Pace = { name: 'login account worn', free: 20 }

const FIRST_WAIT_MS = MINUTE
const MOST_WAIT_MS = 15 * MINUTE

export type Counted = { rule: Rule | Pace; subject: string }

export function attemptCounter(db: Db, secrets: Secrets, now: number) {
	const keyOf = ({ rule, subject }: Counted) => secrets.hmac('attempt-subject', `${rule.name} ${subject}`)

	return {
		/** Counts all of them in one statement; 429 when one is over its limit. */
		async count(counted: readonly (Counted & { rule: Rule })[]): Promise<void> {
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

		/** Counts a try and says how many there were; 429, without counting, while the next one has to wait. */
		async pace(counted: { rule: Pace; subject: string }): Promise<number> {
			const subject = await keyOf(counted)
			const count = sql`case when ${attempts.windowEndsAt} <= ${now} then 1 else ${attempts.count} + 1 end`
			const over = sql`(${count}) - ${counted.rule.free}`
			const [admitted] = await db
				.insert(attempts)
				.values({ subject, count: 1, windowEndsAt: now + DAY, nextAt: now })
				.onConflictDoUpdate({
					target: attempts.subject,
					set: {
						count,
						windowEndsAt: now + DAY,
						nextAt: sql`${now} + case when ${over} < 0 then 0 else min(${MOST_WAIT_MS}, ${FIRST_WAIT_MS} << min(${over}, 10)) end`,
					},
					setWhere: sql`${attempts.windowEndsAt} <= ${now} or ${attempts.nextAt} <= ${now}`,
				})
				.returning({ count: attempts.count })
			if (admitted) return admitted.count
			const [waiting] = await db
				.select({ nextAt: attempts.nextAt })
				.from(attempts)
				.where(eq(attempts.subject, subject))
			throw tooManyRequests(((waiting?.nextAt ?? now) - now) / 1000)
		},

		/** Forgets every try. */
		async forgive(counted: readonly Counted[]): Promise<void> {
			await db.delete(attempts).where(inArray(attempts.subject, await Promise.all(counted.map(keyOf))))
		},

		/** Forgets one try: what others did stays counted. */
		async takeBack(counted: Counted): Promise<void> {
			await db
				.update(attempts)
				.set({ count: sql`${attempts.count} - 1`, nextAt: now })
				.where(and(eq(attempts.subject, await keyOf(counted)), sql`${attempts.count} > 0`))
		},
	}
}

export type AttemptCounter = ReturnType<typeof attemptCounter>

export async function forgetAttempts(db: Db, now: number): Promise<void> {
	await db.delete(attempts).where(lt(attempts.windowEndsAt, now))
}

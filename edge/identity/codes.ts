import { and, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { otpCodes } from '#schema/tables/identity.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database.ts'

export const CODE_LIFE_MS = 10 * MINUTE
const MAX_TRIES = 5
const sendLimits = [
	{ perMs: MINUTE, codes: 1 },
	{ perMs: HOUR, codes: 5 },
	{ perMs: DAY, codes: 10 },
] as const

export const codeStore = (db: Db) => ({
	/** Counts and writes in one statement, so that two requests at once cannot both be the last one allowed. */
	async issue(id: string, email: string, codeHash: string, now: number): Promise<boolean> {
		const within = sql.join(
			sendLimits.map(
				({ perMs, codes }) =>
					sql`(select count(*) from ${otpCodes} where ${otpCodes.email} = ${email} and ${otpCodes.createdAt} > ${now - perMs}) < ${codes}`,
			),
			sql` and `,
		)
		const rows = await db
			.insert(otpCodes)
			.select(
				sql`select ${id}, ${email}, ${codeHash}, 0, ${now}, ${now + CODE_LIFE_MS}, null, '' where ${within}`,
			)
			.returning({ id: otpCodes.id })
		return rows.length === 1
	},

	/** When the address may be sent another code. */
	async nextSendAt(email: string, now: number): Promise<number> {
		const sent = await db
			.select({ at: otpCodes.createdAt })
			.from(otpCodes)
			.where(and(eq(otpCodes.email, email), gt(otpCodes.createdAt, now - DAY)))
			.orderBy(desc(otpCodes.createdAt))
		const waits = sendLimits.map(({ perMs, codes }) => (sent[codes - 1]?.at ?? now - perMs) + perMs)
		return Math.max(now, ...waits)
	},

	/** Spends one try of the newest code; a code with no tries left, or too old, or used, is nowhere to be found. */
	async spendTry(email: string, now: number) {
		const newest = db
			.select({ id: otpCodes.id })
			.from(otpCodes)
			.where(eq(otpCodes.email, email))
			.orderBy(desc(otpCodes.createdAt), desc(otpCodes.id))
			.limit(1)
		const [row] = await db
			.update(otpCodes)
			.set({ tries: sql`${otpCodes.tries} + 1` })
			.where(
				and(
					eq(otpCodes.id, newest),
					isNull(otpCodes.consumedAt),
					gt(otpCodes.expiresAt, now),
					lt(otpCodes.tries, MAX_TRIES),
				),
			)
			.returning({ id: otpCodes.id, codeHash: otpCodes.codeHash })
		return row
	},

	/** True for exactly one of those who show the right code. */
	async consume(id: string, now: number): Promise<boolean> {
		const rows = await db
			.update(otpCodes)
			.set({ consumedAt: now })
			.where(and(eq(otpCodes.id, id), isNull(otpCodes.consumedAt)))
			.returning({ id: otpCodes.id })
		return rows.length === 1
	},

	async forget(now: number): Promise<void> {
		await db.delete(otpCodes).where(lt(otpCodes.createdAt, now - DAY))
	},
})

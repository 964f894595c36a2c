import { and, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { addressCodes } from '#schema/tables/accounts/identity.ts'
import { DAY, HOUR } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { computeNextSendAt, requesterLimits } from '../codes/send-limits.ts'

const MAX_TRIES = 5
/** Limits all accounts together, so that several accounts can't fill another person's mailbox. */
const MAX_CODES_PER_ADDRESS_AND_DAY = 20

type CodeRow = typeof addressCodes.$inferSelect
/** The requesting user and the purpose of the code. Only the newest code of a kind is valid. */
export type CodeKind = Pick<CodeRow, 'userId' | 'purpose'>
type NewCode = Omit<CodeRow, 'tries' | 'consumedAt'>

export const addressCodeStore = (db: Db) => ({
	/** Returns false if a limit is reached. One statement counts and writes, so concurrent requests can't exceed it. */
	async issue(code: NewCode): Promise<boolean> {
		const { id, userId, purpose, email, codeHash, createdAt, expiresAt } = code
		const mine = sql`${addressCodes.userId} = ${userId} and ${addressCodes.purpose} = ${purpose}`
		const fewerThan = (which: ReturnType<typeof sql>, perMs: number, codes: number) =>
			sql`
				(
					select count(*) from ${addressCodes}
					where ${which} and ${addressCodes.createdAt} > ${createdAt - perMs}
				) < ${codes}
			`
		const within = sql.join(
			[
				...requesterLimits.map(({ perMs, codes }) => fewerThan(mine, perMs, codes)),
				fewerThan(sql`${addressCodes.email} = ${email}`, DAY, MAX_CODES_PER_ADDRESS_AND_DAY),
			],
			sql` and `,
		)
		const rows = await insertSelect(
			db,
			addressCodes,
			{ id, userId, purpose, email, codeHash, createdAt, expiresAt },
			sql`where ${within}`,
		).returning({ id: addressCodes.id })
		return rows.length === 1
	},

	/** Returns when this user may request another code: an hour from now if only the limit of the address is reached. */
	async nextSendAt({ userId, purpose }: CodeKind, now: number): Promise<number> {
		const sent = await db
			.select({ at: addressCodes.createdAt })
			.from(addressCodes)
			.where(
				and(
					eq(addressCodes.userId, userId),
					eq(addressCodes.purpose, purpose),
					gt(addressCodes.createdAt, now - DAY),
				),
			)
			.orderBy(desc(addressCodes.createdAt))
		const sentAt = sent.map(({ at }) => at)
		const next = Math.max(...requesterLimits.map((limit) => computeNextSendAt(limit, sentAt, now)))
		return next > now ? next : now + HOUR
	},

	/** Spends one try of the newest code. Returns undefined if that code is used, expired or has no tries left. */
	async spendTry({ userId, purpose }: CodeKind, now: number) {
		const newest = db
			.select({ id: addressCodes.id })
			.from(addressCodes)
			.where(and(eq(addressCodes.userId, userId), eq(addressCodes.purpose, purpose)))
			.orderBy(desc(addressCodes.createdAt), desc(addressCodes.id))
			.limit(1)
		const [row] = await db
			.update(addressCodes)
			.set({ tries: sql`${addressCodes.tries} + 1` })
			.where(
				and(
					eq(addressCodes.id, newest),
					isNull(addressCodes.consumedAt),
					gt(addressCodes.expiresAt, now),
					lt(addressCodes.tries, MAX_TRIES),
				),
			)
			.returning({ id: addressCodes.id, codeHash: addressCodes.codeHash })
		return row
	},

	/** Returns true for exactly one of several concurrent calls with the right code. */
	async consume(id: string, now: number): Promise<boolean> {
		const rows = await db
			.update(addressCodes)
			.set({ consumedAt: now })
			.where(and(eq(addressCodes.id, id), isNull(addressCodes.consumedAt)))
			.returning({ id: addressCodes.id })
		return rows.length === 1
	},

	async prune(now: number): Promise<void> {
		await db.delete(addressCodes).where(lt(addressCodes.createdAt, now - DAY))
	},
})

import { and, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { otpCodes } from '#schema/tables/accounts/identity.ts'
import { DAY, HOUR, MINUTE } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { computeNextSendAt, requesterLimits, type SendLimit } from './send-limits.ts'

export const CODE_LIFE_MS = 10 * MINUTE
/** Tries per code for all unknown devices together; attempt-rules.ts limits each network. */
const MAX_TRIES = 15
/** Shared by all devices of an address, because each sign-in adds a known device. */
const deviceLimits = [{ perMs: DAY, codes: 30 }] as const
/** Limits one network, so that unknown devices in it can't use up the limits of an address. */
const siteLimits = [
	{ perMs: HOUR, codes: 3 },
	{ perMs: DAY, codes: 5 },
] as const

/** Who requests or enters a code. A known device has limits of its own. */
export type CodeRequester = { id: string; isKnown: boolean }
const sendLimitsFor = ({ id, isKnown }: CodeRequester): readonly (SendLimit & { requester?: string })[] => {
	const own = (limit: SendLimit) => ({ ...limit, requester: id })
	return isKnown
		? [...requesterLimits.map(own), ...deviceLimits]
		: [...siteLimits.map(own), ...requesterLimits]
}

export const codeStore = (db: Db) => ({
	/** Returns false if a limit is reached. One statement counts and writes, so concurrent requests can't exceed it. */
	async issue(
		id: string,
		email: string,
		codeHash: string,
		requester: CodeRequester,
		now: number,
	): Promise<boolean> {
		const within = sql.join(
			sendLimitsFor(requester).map(
				({ perMs, codes, requester: by }) =>
					sql`
						(
							select count(*) from ${otpCodes}
							where ${otpCodes.email} = ${email}
								and ${otpCodes.createdAt} > ${now - perMs}${
									by === undefined
										? sql`
									
								`
										: sql`
									and ${otpCodes.asker} = ${by}
								`
								}
						) < ${codes}
					`,
			),
			sql` and `,
		)
		const rows = await insertSelect(
			db,
			otpCodes,
			{ id, email, codeHash, createdAt: now, expiresAt: now + CODE_LIFE_MS, asker: requester.id },
			sql`where ${within}`,
		).returning({ id: otpCodes.id })
		return rows.length === 1
	},

	/** Returns when the address may get another code. */
	async nextSendAt(email: string, requester: CodeRequester, now: number): Promise<number> {
		const sent = await db
			.select({ at: otpCodes.createdAt, asker: otpCodes.asker })
			.from(otpCodes)
			.where(and(eq(otpCodes.email, email), gt(otpCodes.createdAt, now - DAY)))
			.orderBy(desc(otpCodes.createdAt))
		const waits = sendLimitsFor(requester).map((limit) => {
			const counted =
				limit.requester === undefined ? sent : sent.filter((code) => code.asker === limit.requester)
			return computeNextSendAt(
				limit,
				counted.map(({ at }) => at),
				now,
			)
		})
		return Math.max(now, ...waits)
	},

	/**
	 * Returns the newest code unless it is used or expired. An unknown device spends one of its tries and gets undefined if
	 * none is left; tries of unknown devices don't count against a known device.
	 */
	async spendTry(email: string, { isKnown }: CodeRequester, now: number) {
		const newest = db
			.select({ id: otpCodes.id })
			.from(otpCodes)
			.where(eq(otpCodes.email, email))
			.orderBy(desc(otpCodes.createdAt), desc(otpCodes.id))
			.limit(1)
		const [row] = await db
			.update(otpCodes)
			.set({ tries: sql`${otpCodes.tries} + ${isKnown ? 0 : 1}` })
			.where(
				and(
					eq(otpCodes.id, newest),
					isNull(otpCodes.consumedAt),
					gt(otpCodes.expiresAt, now),
					isKnown ? undefined : lt(otpCodes.tries, MAX_TRIES),
				),
			)
			.returning({ id: otpCodes.id, codeHash: otpCodes.codeHash })
		return row
	},

	/** Returns true for exactly one of several concurrent calls with the right code. */
	async consume(id: string, now: number): Promise<boolean> {
		const rows = await db
			.update(otpCodes)
			.set({ consumedAt: now })
			.where(and(eq(otpCodes.id, id), isNull(otpCodes.consumedAt)))
			.returning({ id: otpCodes.id })
		return rows.length === 1
	},

	async prune(now: number): Promise<void> {
		await db.delete(otpCodes).where(lt(otpCodes.createdAt, now - DAY))
	},
})

import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { orgInvitations, users } from '#schema/tables/accounts/identity.ts'
import { mails } from '#schema/tables/accounts/mail.ts'
import { communityInvitations } from '#schema/tables/community/community.ts'
import { DAY } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'

/** Longer than the queue retries any message. */
const RETENTION_MS = 7 * DAY

export const mailStore = (db: Db) => ({
	/** Returns true if the caller may send now: the mail is unsent, and no other claim is in force. */
	async claim(id: string, now: number, claimedUntil: number): Promise<boolean> {
		const rows = await db
			.insert(mails)
			.values({ id, claimedUntil, createdAt: now })
			.onConflictDoUpdate({
				target: mails.id,
				set: { claimedUntil },
				setWhere: sql`${mails.sentAt} is null and ${mails.claimedUntil} <= ${now}`,
			})
			.returning({ id: mails.id })
		return rows.length === 1
	},

	async isSent(id: string): Promise<boolean> {
		const [row] = await db.select({ sentAt: mails.sentAt }).from(mails).where(eq(mails.id, id))
		return row !== undefined && row.sentAt !== null
	},

	async markSent(id: string, now: number): Promise<void> {
		await db.update(mails).set({ sentAt: now }).where(eq(mails.id, id))
	},

	/** Releases only the caller's own claim: a slow sender whose claim has expired must not end the next one's. */
	async release(id: string, claimedUntil: number, now: number): Promise<void> {
		await db
			.update(mails)
			.set({ claimedUntil: now })
			.where(and(eq(mails.id, id), eq(mails.claimedUntil, claimedUntil), isNull(mails.sentAt)))
	},

	async prune(now: number): Promise<void> {
		await db.delete(mails).where(lt(mails.createdAt, now - RETENTION_MS))
	},

	/** Runs one statement whatever the result, so the time reveals nothing about the address. */
	async findAddressStatus(email: string, now: number): Promise<{ isUser: boolean; isInvited: boolean }> {
		const user = db.select({ one: sql`1` }).from(users).where(eq(users.email, email))
		const openInvitation = (table: typeof orgInvitations | typeof communityInvitations) =>
			db
				.select({ one: sql`1` })
				.from(table)
				.where(and(eq(table.email, email), isNull(table.acceptedAt), gt(table.expiresAt, now)))
		const row = await db.get<{ isUser: number; isInvited: number }>(
			sql`
				select exists ${user} as "isUser",
					(
						exists ${openInvitation(orgInvitations)} or exists ${openInvitation(communityInvitations)}
					) as "isInvited"
			`,
		)
		return { isUser: Boolean(row?.isUser), isInvited: Boolean(row?.isInvited) }
	},
})

import { and, count, eq, gt, isNull, lt } from 'drizzle-orm'
import { orgInvitations } from '#schema/tables/accounts/identity.ts'
import { mailRefusals, mailReports } from '#schema/tables/accounts/mail.ts'
import { communityInvitations } from '#schema/tables/community/community.ts'
import { DAY } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'

const REPORT_LIFETIME_MS = 30 * DAY

export const refusalStore = (db: Db) => ({
	async has(addressHash: string): Promise<boolean> {
		const rows = await db
			.select({ at: mailRefusals.createdAt })
			.from(mailRefusals)
			.where(eq(mailRefusals.addressHash, addressHash))
		return rows.length === 1
	},

	addStatement(addressHash: string, now: number) {
		return db.insert(mailRefusals).values({ addressHash, createdAt: now }).onConflictDoNothing()
	},

	async remove(addressHash: string): Promise<void> {
		await db.delete(mailRefusals).where(eq(mailRefusals.addressHash, addressHash))
	},

	/** Counts each address once per organization. */
	reportStatement(orgId: string, addressHash: string, now: number) {
		return db.insert(mailReports).values({ orgId, addressHash, createdAt: now }).onConflictDoNothing()
	},

	/** A text id is an invitation to an organization, a number one to a community. */
	endInvitationStatement(id: string | number) {
		return typeof id === 'string'
			? db.delete(orgInvitations).where(and(eq(orgInvitations.id, id), isNull(orgInvitations.acceptedAt)))
			: db
					.delete(communityInvitations)
					.where(and(eq(communityInvitations.id, id), isNull(communityInvitations.acceptedAt)))
	},

	async countReports(orgId: string, now: number): Promise<number> {
		const [row] = await db
			.select({ reports: count() })
			.from(mailReports)
			.where(and(eq(mailReports.orgId, orgId), gt(mailReports.createdAt, now - REPORT_LIFETIME_MS)))
		return row?.reports ?? 0
	},

	async pruneReports(now: number): Promise<void> {
		await db.delete(mailReports).where(lt(mailReports.createdAt, now - REPORT_LIFETIME_MS))
	},
})

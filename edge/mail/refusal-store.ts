import { and, count, eq, gt, isNull, lt } from 'drizzle-orm'
import { communityInvitations } from '#schema/tables/community.ts'
import { orgInvitations } from '#schema/tables/identity.ts'
import { mailRefusals, mailReports } from '#schema/tables/platform.ts'
import { DAY } from '../platform/clock.ts'
import type { Db } from '../platform/database.ts'

const REPORTS_COUNT_MS = 30 * DAY

export const refusalStore = (db: Db) => ({
	async has(addressHash: string): Promise<boolean> {
		const rows = await db
			.select({ at: mailRefusals.createdAt })
			.from(mailRefusals)
			.where(eq(mailRefusals.addressHash, addressHash))
		return rows.length === 1
	},

	/** Statement for a batch. */
	add(addressHash: string, now: number) {
		return db.insert(mailRefusals).values({ addressHash, createdAt: now }).onConflictDoNothing()
	},

	async remove(addressHash: string): Promise<void> {
		await db.delete(mailRefusals).where(eq(mailRefusals.addressHash, addressHash))
	},

	/** Statement for a batch: an address reports an organization once. */
	report(orgId: string, addressHash: string, now: number) {
		return db.insert(mailReports).values({ orgId, addressHash, createdAt: now }).onConflictDoNothing()
	},

	/** Statement for a batch: an open invitation ends, into an organization (by text) or a community (by number). */
	endInvitation(id: string | number) {
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
			.where(and(eq(mailReports.orgId, orgId), gt(mailReports.createdAt, now - REPORTS_COUNT_MS)))
		return row?.reports ?? 0
	},

	async pruneReports(now: number): Promise<void> {
		await db.delete(mailReports).where(lt(mailReports.createdAt, now - REPORTS_COUNT_MS))
	},
})

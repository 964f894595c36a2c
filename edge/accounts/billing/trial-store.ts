import { type SQL, sql } from 'drizzle-orm'
import { billingTrials } from '#schema/tables/accounts/billing/trials.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { DAY } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

/** By then, the checkout was paid or has expired, and the account was compared with the provider. */
const HELD_MS = 3 * DAY

/** Selects the creator of an organization, unless their account was deleted. */
const creatorOf = (orgId: string, condition: SQL = sql`true`): SQL =>
	sql`from ${orgs} where ${orgs.id} = ${orgId} and ${orgs.createdByUserId} is not null and ${condition}`

export const trialStore = (db: Db) => ({
	/**
	 * Offers the creator's trial to an organization. Returns false if it was used, or if a pending checkout of another
	 * organization may still use it.
	 */
	async offer(orgId: string, now: number): Promise<boolean> {
		const rows = await insertSelect(
			db,
			billingTrials,
			{ userId: sql`${orgs.createdByUserId}`, orgId, offeredAt: now },
			creatorOf(orgId),
		)
			.onConflictDoUpdate({
				target: billingTrials.userId,
				set: { orgId: sql`excluded.org_id`, offeredAt: sql`excluded.offered_at` },
				setWhere: sql`${billingTrials.usedAt} is null
					and (${billingTrials.orgId} = excluded.org_id or ${billingTrials.offeredAt} <= ${now - HELD_MS})`,
			})
			.returning({ orgId: billingTrials.orgId })
		return rows.length === 1
	},
})

/** Returns the statement that records the creator's trial as used. */
export const trialUsedStatement = (db: Db, orgId: string, now: number, condition: SQL) =>
	insertSelect(
		db,
		billingTrials,
		{ userId: sql`${orgs.createdByUserId}`, orgId, offeredAt: now, usedAt: now },
		creatorOf(orgId, condition),
	).onConflictDoUpdate({
		target: billingTrials.userId,
		set: { usedAt: now },
		setWhere: sql`${billingTrials.usedAt} is null`,
	})

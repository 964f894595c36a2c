import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { billingAccounts, billingEvents } from '#schema/tables/accounts/billing/accounts.ts'
import { billingUsage } from '#schema/tables/accounts/billing/usage.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { auditIfStatement, runAudited } from '../../platform/audit/audit.ts'
import { DAY, HOUR } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { sweepRows } from '../../platform/work/sweep.ts'
import type { Plan } from './plans.ts'
import type { ProviderEvent } from './provider.ts'
import type { BillingState } from './state.ts'
import { trialUsedStatement } from './trial-store.ts'

export type AccountRow = typeof billingAccounts.$inferSelect

/** How soon a state is compared with the provider again, in case events are lost. */
const RECONCILED_AFTER_MS = DAY
/** An organization without a subscription is compared less often. */
const RECONCILED_IDLE_AFTER_MS = 7 * DAY
/** By then, a session is completed or has expired. */
const CHECKOUT_ENDS_MS = DAY + DAY / 24

const raised = (column: SQL | typeof billingAccounts.syncsBegun) => sql<number>`${column} + 1`

/** Finds accounts to compare. One that is not stored within an hour is due again. */
export const reconcileSweep = sweepRows(
	{ at: billingAccounts.reconcileAt, leaseMs: HOUR },
	{ orgId: billingAccounts.orgId },
	({ orgId }) => ({ type: 'billing.reconcile', orgId }),
)

export const billingStore = (db: Db) => ({
	async find(orgId: string): Promise<AccountRow | undefined> {
		const [row] = await db.select().from(billingAccounts).where(eq(billingAccounts.orgId, orgId))
		return row
	},

	async findOrgOfCustomer(customerId: string): Promise<string | null> {
		const [row] = await db
			.select({ orgId: billingAccounts.orgId })
			.from(billingAccounts)
			.where(eq(billingAccounts.customerId, customerId))
		return row?.orgId ?? null
	},

	/** Inserts an account unless there is one. Does nothing if the organization was deleted. */
	async open(orgId: string, now: number): Promise<AccountRow | undefined> {
		const { found } = await batch(db, {
			accountOpened: insertSelect(
				db,
				billingAccounts,
				{ orgId, reconcileAt: now + RECONCILED_IDLE_AFTER_MS, createdAt: now },
				sql`from ${orgs} where ${orgs.id} = ${orgId}`,
			).onConflictDoNothing(),
			found: db.select().from(billingAccounts).where(eq(billingAccounts.orgId, orgId)),
		})
		return found[0]
	},

	/** Stores the customer unless there is one. Returns the stored one, or null if the account was deleted. */
	async setCustomer(orgId: string, customerId: string, reconcileAt: number): Promise<string | null> {
		const { found } = await batch(db, {
			customerSet: db
				.update(billingAccounts)
				.set({ customerId, reconcileAt })
				.where(sql`${billingAccounts.orgId} = ${orgId} and ${billingAccounts.customerId} is null`),
			found: db
				.select({ customerId: billingAccounts.customerId })
				.from(billingAccounts)
				.where(eq(billingAccounts.orgId, orgId)),
		})
		return found[0]?.customerId ?? null
	},

	/** Clears a customer that was deleted at the provider, so that the next checkout creates another one. */
	async clearCustomer(orgId: string, customerId: string): Promise<void> {
		await db
			.update(billingAccounts)
			.set({ customerId: null, customerGeneration: raised(sql`${billingAccounts.customerGeneration}`) })
			.where(and(eq(billingAccounts.orgId, orgId), eq(billingAccounts.customerId, customerId)))
	},

	/** Begins a checkout. Earlier checkouts may no longer return their sessions. */
	async beginCheckout(orgId: string): Promise<AccountRow | undefined> {
		const [row] = await db
			.update(billingAccounts)
			.set({ checkoutsBegun: raised(sql`${billingAccounts.checkoutsBegun}`) })
			.where(eq(billingAccounts.orgId, orgId))
			.returning()
		return row
	},

	/** Stores the session of a checkout. Returns false if a later checkout has begun. */
	async storeCheckout(
		work: UnitOfWork,
		{ orgId, checkoutsBegun }: AccountRow,
		sessionId: string,
		plan: Plan,
	): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.update(billingAccounts)
				.set({
					checkoutSessionId: sessionId,
					reconcileAt: sql`min(${billingAccounts.reconcileAt}, ${work.now + CHECKOUT_ENDS_MS})`,
				})
				.where(and(eq(billingAccounts.orgId, orgId), eq(billingAccounts.checkoutsBegun, checkoutsBegun)))
				.returning({ orgId: billingAccounts.orgId }),
			{
				action: 'billing.checkout_started',
				orgId,
				target: { kind: 'org', id: orgId },
				details: { ...plan },
			},
		)
		return rows.length === 1
	},

	/** Begins a comparison with the provider, and counts it before anything is fetched. */
	async beginSync(orgId: string): Promise<AccountRow | undefined> {
		const [row] = await db
			.update(billingAccounts)
			.set({ syncsBegun: raised(billingAccounts.syncsBegun) })
			.where(eq(billingAccounts.orgId, orgId))
			.returning()
		return row
	},

	/**
	 * Stores the state of a comparison with the resulting tier. Returns false if a comparison that began later has
	 * stored its own.
	 */
	async storeState(
		work: UnitOfWork,
		{ orgId, customerId, syncsBegun }: AccountRow,
		{ isCustomerDeleted, subscription, hasSubscribed, paid }: BillingState,
	): Promise<boolean> {
		const isStored = sql`exists (
			select 1 from ${billingAccounts} as account
			where account.org_id = ${orgId} and account.stored_sync = ${syncsBegun}
		)`
		const tier = paid?.tier ?? null
		const until = paid?.until ?? null
		const { stateStored } = await batch(db, {
			stateStored: db
				.update(billingAccounts)
				.set({
					storedSync: sql`cast(${syncsBegun} as integer)`,
					subscriptionId: subscription?.id ?? null,
					status: subscription?.status ?? null,
					tier: subscription?.tier ?? null,
					interval: subscription?.interval ?? null,
					currentPeriodEnd: subscription?.currentPeriodEnd ?? null,
					cancelAt: subscription?.cancelAt ?? null,
					graceUntil: subscription?.graceUntil ?? null,
					...(hasSubscribed && { subscribedAt: sql`coalesce(${billingAccounts.subscribedAt}, ${work.now})` }),
					syncedAt: work.now,
					reconcileAt: work.now + (subscription ? RECONCILED_AFTER_MS : RECONCILED_IDLE_AFTER_MS),
					...(isCustomerDeleted && {
						customerId: null,
						customerGeneration: raised(sql`${billingAccounts.customerGeneration}`),
					}),
				})
				.where(
					and(
						eq(billingAccounts.orgId, orgId),
						sql`${billingAccounts.customerId} = ${customerId}`,
						lt(billingAccounts.storedSync, syncsBegun),
					),
				)
				.returning({ orgId: billingAccounts.orgId }),
			// Must precede the change, because it compares with the former tier.
			entryWritten: auditIfStatement(
				work,
				{
					action: 'billing.tier_changed',
					orgId,
					target: { kind: 'org', id: orgId },
					details: { tier, status: subscription?.status ?? null },
				},
				sql`
					${isStored}
					and exists (select 1 from ${orgs} where ${orgs.id} = ${orgId} and ${orgs.paidTier} is not ${tier})
				`,
			),
			tierSet: db
				.update(orgs)
				.set({ paidTier: tier, paidTierUntil: until })
				.where(
					sql`
						${orgs.id} = ${orgId}
						and ${isStored}
						and (${orgs.paidTier} is not ${tier} or ${orgs.paidTierUntil} is not ${until})
					`,
				),
			trialUsed: hasSubscribed ? trialUsedStatement(db, orgId, work.now, isStored) : null,
			// Usage without a subscription is not charged to a later one.
			usageDeleted: subscription
				? null
				: db.delete(billingUsage).where(sql`${billingUsage.orgId} = ${orgId} and ${isStored}`),
		})
		return stateStored.length === 1
	},

	/** Records an event once, with the resulting work. Returns false if it is already recorded. */
	async recordEvent(work: UnitOfWork, { id, type }: ProviderEvent, orgId: string): Promise<boolean> {
		const { eventInserted } = await batch(db, {
			eventInserted: db
				.insert(billingEvents)
				.values({ id, type, receivedAt: work.now })
				.onConflictDoNothing()
				.returning({ id: billingEvents.id }),
			changeRecorded: recordEventIfChangedStatement(work, { type: 'billing.changed', orgId, payload: {} }),
		})
		return eventInserted.length === 1
	},

	/** Makes every account due, because a restored database lacks the latest changes. */
	async makeAllDue(now: number): Promise<number> {
		const rows = await db
			.update(billingAccounts)
			.set({ reconcileAt: now })
			.where(gt(billingAccounts.reconcileAt, now))
			.returning({ one: sql<number>`1` })
		return rows.length
	},

	/** Postpones an account that has nothing to compare. */
	async postpone(orgId: string, now: number): Promise<void> {
		await db
			.update(billingAccounts)
			.set({ reconcileAt: now + RECONCILED_IDLE_AFTER_MS })
			.where(eq(billingAccounts.orgId, orgId))
	},

	async prune(eventsBefore: number, usageBeforeDay: string): Promise<void> {
		await db.batch([
			db.delete(billingEvents).where(lt(billingEvents.receivedAt, eventsBefore)),
			db.delete(billingUsage).where(lt(billingUsage.day, usageBeforeDay)),
		])
	},
})

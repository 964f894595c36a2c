import { and, asc, eq, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import { billingAccounts } from '#schema/tables/accounts/billing/accounts.ts'
import {
	apiKeys,
	orgInvitations,
	orgMembers,
	orgs,
	usageCounters,
	users,
} from '#schema/tables/accounts/identity.ts'
import { runAudited } from '../../platform/audit/audit.ts'
import { BRAND_COLOR } from '../../platform/brand.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { comesAfter, type Position } from '../../platform/database/keyset.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { accountEmail } from '../account-columns.ts'
import { sumStoredBytes } from './storage.ts'
import {
	chooseEffectiveTier,
	hasPaidTier,
	type PaidTier,
	selectEffectiveTier,
	type TierOverride,
} from './tiers/effective-tier.ts'
import type { ViewerSettingsRow } from './viewer-settings.ts'

export type OrgRow = typeof orgs.$inferSelect
type OrgChange = Partial<Pick<OrgRow, 'name' | 'slug' | 'videoCodecs'>>
/** A notice goes to at most this many people. */
const MAX_ADDRESSEES = 50
const memberColumns = {
	userId: users.id,
	email: accountEmail,
	name: users.name,
	role: orgMembers.role,
	joinedAt: orgMembers.createdAt,
}

export const orgStore = (db: Db) => ({
	async listOfUser(userId: number, limit: number, position: Position | null) {
		return db
			.select({ org: orgs, role: orgMembers.role, joinedAt: orgMembers.createdAt })
			.from(orgMembers)
			.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
			.where(and(eq(orgMembers.userId, userId), comesAfter(orgMembers.createdAt, orgMembers.orgId, position)))
			.orderBy(asc(orgMembers.createdAt), asc(orgMembers.orgId))
			.limit(limit + 1)
	},

	/**
	 * Inserts nothing if the creator already has `max` organizations of this tier and pays for no other. Trials count,
	 * because each could otherwise allow another organization.
	 */
	insertOrgStatement(
		org: Omit<
			OrgRow,
			| 'createdByUserId'
			| 'suspendedAt'
			| 'suspensionReasons'
			| 'suspensionChangedAt'
			| 'requiresSecondFactor'
			| 'keysNeedProof'
			| keyof TierOverride
			| 'supportAccess'
			| keyof PaidTier
			| Exclude<keyof ViewerSettingsRow, 'name'>
		>,
		makerId: number | SQL<number>,
		max: number | null,
	) {
		const made = sql`(
			select count(*) from ${orgs} as made
			where made.created_by_user_id = ${makerId}
				and made.tier = ${org.tier}
				and not (${hasPaidTier('made', org.createdAt)} and ${isPaidFor('made')})
		)`
		return insertSelect(
			db,
			orgs,
			{
				id: org.id,
				slug: org.slug,
				name: org.name,
				tier: org.tier,
				webhookUrl: org.webhookUrl,
				createdAt: org.createdAt,
				updatedAt: org.updatedAt,
				videoCodecs: org.videoCodecs,
				createdByUserId: makerId,
				primaryColor: BRAND_COLOR,
			},
			sql`where ${max} is null or ${made} < ${max}`,
		).returning()
	},

	/** Returns an organization with the tier that applies to it now. */
	async find(orgId: string, now: number): Promise<OrgRow | undefined> {
		const [row] = await db.select().from(orgs).where(eq(orgs.id, orgId))
		return row && { ...row, tier: chooseEffectiveTier(row, now) }
	},

	/**
	 * `alsoChanged` names fields that the same request changes in other tables. Changes nothing unless the organization has
	 * the values `before`.
	 */
	async update(
		work: UnitOfWork,
		orgId: string,
		change: OrgChange,
		alsoChanged: readonly string[] = [],
		before?: Partial<OrgRow>,
	) {
		const [row] = await runAudited(
			work,
			db
				.update(orgs)
				.set({ ...change, updatedAt: work.now })
				.where(and(eq(orgs.id, orgId), before && hasValues(orgs, before)))
				.returning(),
			{
				action: change.videoCodecs ? 'settings.updated' : 'org.updated',
				orgId,
				target: { kind: 'org', id: orgId },
				details: { changed: [...Object.keys(change), ...alsoChanged] },
			},
		)
		return row
	},

	/** Everything the usage page shows, in one statement. */
	async usage(orgId: string, period: string, now: number) {
		const counter = (metric: string) =>
			sql<number>`coalesce(
				(
					select ${usageCounters.value} from ${usageCounters}
					where ${usageCounters.orgId} = ${orgId}
						and ${usageCounters.period} = ${period}
						and ${usageCounters.metric} = ${metric}
				),
				0
			)`
		const [row] = await db
			.select({
				tier: selectEffectiveTier('orgs', now).as('effective_tier'),
				encodeMs: counter('encode_ms').as('encode_ms'),
				storageBytes: sumStoredBytes(orgId).as('storage_bytes'),
				apiKeys: sql<number>`(select count(*) from ${apiKeys} where ${apiKeys.orgId} = ${orgId})`.as(
					'api_keys',
				),
				members: sql<number>`(select count(*) from ${orgMembers} where ${orgMembers.orgId} = ${orgId})`.as(
					'members',
				),
			})
			.from(orgs)
			.where(eq(orgs.id, orgId))
		return row
	},

	async listMembers(orgId: string, limit: number, position: Position | null) {
		return db
			.select(memberColumns)
			.from(orgMembers)
			.innerJoin(users, eq(users.id, orgMembers.userId))
			.where(and(eq(orgMembers.orgId, orgId), comesAfter(orgMembers.createdAt, orgMembers.userId, position)))
			.orderBy(asc(orgMembers.createdAt), asc(orgMembers.userId))
			.limit(limit + 1)
	},

	async findMember(orgId: string, userId: number) {
		const [row] = await db
			.select(memberColumns)
			.from(orgMembers)
			.innerJoin(users, eq(users.id, orgMembers.userId))
			.where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId)))
		return row
	},

	/**
	 * Returns the owners and the member `also`, without `except`. Skips unverified addresses, which may belong to somebody
	 * else.
	 */
	async listAddressees(
		orgId: string,
		{ also = null, except = null }: { also?: number | null; except?: number | null },
	) {
		return db
			.select({ userId: users.id, email: accountEmail })
			.from(users)
			.innerJoin(orgMembers, and(eq(orgMembers.userId, users.id), eq(orgMembers.orgId, orgId)))
			.where(
				and(
					or(eq(orgMembers.role, 'owner'), also === null ? undefined : eq(users.id, also)),
					except === null ? undefined : ne(users.id, except),
					isNotNull(users.emailVerifiedAt),
				),
			)
			.orderBy(asc(users.id))
			.limit(MAX_ADDRESSEES)
	},

	async isMemberByEmail(orgId: string, email: string): Promise<boolean> {
		const rows = await db
			.select({ id: users.id })
			.from(users)
			.innerJoin(orgMembers, and(eq(orgMembers.userId, users.id), eq(orgMembers.orgId, orgId)))
			.where(eq(users.email, email))
		return rows.length > 0
	},

	/** Checks the last owner within the statement, so that two owners who step down at once can't both succeed. */
	setRoleStatement(orgId: string, userId: number, was: OrgRole, role: OrgRole) {
		return db
			.update(orgMembers)
			.set({ role })
			.where(
				and(
					eq(orgMembers.orgId, orgId),
					eq(orgMembers.userId, userId),
					eq(orgMembers.role, was),
					was === 'owner' && role !== 'owner' ? anotherOwner(orgId) : undefined,
				),
			)
			.returning({ userId: orgMembers.userId })
	},

	/** Deletes nothing if the organization would be left without an owner. */
	removeMemberStatement(orgId: string, userId: number, was: OrgRole) {
		return db
			.delete(orgMembers)
			.where(
				and(
					eq(orgMembers.orgId, orgId),
					eq(orgMembers.userId, userId),
					eq(orgMembers.role, was),
					was === 'owner' ? anotherOwner(orgId) : undefined,
				),
			)
			.returning({ userId: orgMembers.userId })
	},

	/** Inserts the membership only if the previous statement of the batch changed a row. */
	joinIfChangedStatement(orgId: string, userId: SQL | number, role: OrgRole, now: number) {
		return insertSelect(db, orgMembers, { orgId, userId, role, createdAt: now }, sql`where changes() > 0`)
			.onConflictDoNothing()
			.returning({ userId: orgMembers.userId })
	},

	/** Counts members and open invitations: an invitation takes a seat as soon as it is sent. */
	async countSeats(orgId: string, now: number, exceptEmail?: string): Promise<number> {
		const [row] = await db
			.select({ seats: countSeats(orgId, now, exceptEmail).as('seats') })
			.from(orgs)
			.where(eq(orgs.id, orgId))
		return row?.seats ?? 0
	},
})

/** SQL for the number of members and open invitations, except one for an address that is invited again. */
export const countSeats = (orgId: string, now: number, exceptEmail = ''): SQL<number> =>
	sql<number>`(select count(*) from ${orgMembers} as seated where seated.org_id = ${orgId}) + (
		select count(*) from ${orgInvitations} as invited
		where invited.org_id = ${orgId}
			and invited.accepted_at is null
			and invited.expires_at > ${now}
			and invited.email <> ${exceptEmail}
	)`

/** SQL condition: the aliased organization has a paid subscription that is no trial. */
const isPaidFor = (alias: string): SQL =>
	sql`exists (
		select 1 from ${billingAccounts} as account
		where account.org_id = ${sql.raw(alias)}.id and account.status = 'active'
	)`

const anotherOwner = (orgId: string) =>
	sql`
		(
			select count(*) from ${orgMembers} as owners where owners.org_id = ${orgId} and owners.role = 'owner'
		) > 1
	`

/** The roles that may create API keys and invite members. */
export const managers = ['owner', 'admin'] as const

export const isManager = (orgId: string, userId: number | null): SQL =>
	sql`exists (
		select 1 from ${orgMembers} as manager
		where manager.org_id = ${orgId} and manager.user_id = ${userId} and manager.role in ${managers}
	)`

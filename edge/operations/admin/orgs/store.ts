import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import { orgMembers, orgs, usageCounters, users } from '#schema/tables/accounts/identity.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { accountEmail } from '../../../accounts/account-columns.ts'
import { hasPaidTier, hasTierOverride } from '../../../accounts/orgs/tiers/effective-tier.ts'
import { runAudited } from '../../../platform/audit/audit.ts'
import type { Db } from '../../../platform/database/database.ts'
import { comesBefore, type Position } from '../../../platform/database/keyset.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { matchesPrefix, toLowerAscii } from '../search.ts'

export type OrgRow = typeof orgs.$inferSelect
export type OrgFilter = {
	q?: string | undefined
	tier?: TierName | undefined
	state?: 'active' | 'suspended' | undefined
	suspensionReason?: SuspensionReason | undefined
}
type Override = { tier: TierName; reason: string; until: number }

const MAX_OWNERS = 50

/** Returns a query for the ids of organizations that match a search. */
function foundOrgs(q: string): SQL {
	const text = q.toLowerCase()
	const org = sql`${orgs} as found`
	const people = matchesPrefix(sql`person.id`, sql`${users} as person`, sql`person.email`, text)
	return sql.join(
		[
			sql`select found.id from ${org} where found.id = ${q}`,
			matchesPrefix(sql`found.id`, org, sql`found.slug`, text),
			matchesPrefix(sql`found.id`, org, sql`lower(found.name)`, toLowerAscii(q)),
			sql`select membership.org_id from ${orgMembers} as membership where membership.user_id in (${people})`,
		],
		sql` union `,
	)
}

/** A literal, as in the index: SQLite uses a partial index only if the query includes its condition. */
const hasReason = (reason: SuspensionReason): SQL =>
	sql`
		${orgs.suspensionReasons} <> '[]'
		and exists (select 1 from json_each(${orgs.suspensionReasons}) as reason where reason.value = ${reason})
	`

const isAfterPage = (position: Position | null) => comesBefore(orgs.createdAt, orgs.id, position)

/** Returns a query for the ids of a page, in index order. */
const pageOfIndex = (condition: SQL | undefined, position: Position | null, limit: number): SQL =>
	sql`
		select id
		from (
			select ${orgs.id} as id from ${orgs}
			where ${and(condition, isAfterPage(position))}
			order by ${orgs.createdAt} desc, ${orgs.id} desc limit ${limit}
		)
	`

export const adminOrgStore = (db: Db) => {
	const columns = (month: string) => ({
		org: orgs,
		encodeMs: sql<number>`coalesce(
			(
				select ${usageCounters.value} from ${usageCounters}
				where ${usageCounters.orgId} = ${orgs.id}
					and ${usageCounters.period} = ${month}
					and ${usageCounters.metric} = 'encode_ms'
			),
			0
		)`,
		members: sql<number>`(select count(*) from ${orgMembers} where ${orgMembers.orgId} = ${orgs.id})`,
	})

	return {
		/** Lists organizations, newest first. Those of a tier come from three indexes: of tiers, paid tiers and overrides. */
		list(
			{ q, tier, state, suspensionReason }: OrgFilter,
			limit: number,
			position: Position | null,
			{ month, now }: { month: string; now: number },
		) {
			const rest = and(
				q === undefined ? undefined : sql`${orgs.id} in (${foundOrgs(q)})`,
				state &&
					(state === 'suspended' ? sql`${orgs.suspendedAt} is not null` : sql`${orgs.suspendedAt} is null`),
				suspensionReason && hasReason(suspensionReason),
			)
			const [hasOverride, isPaid] = [hasTierOverride('orgs', now), hasPaidTier('orgs', now)]
			const ofTier =
				tier &&
				sql.join(
					[
						sql`${orgs.tier} = ${tier} and not ${hasOverride} and not ${isPaid}`,
						sql`${orgs.paidTier} = ${tier} and ${isPaid} and not ${hasOverride}`,
						sql`${orgs.tierOverride} = ${tier} and ${hasOverride}`,
					].map((each) => pageOfIndex(and(each, rest), position, limit + 1)),
					sql` union all `,
				)
			return db
				.select(columns(month))
				.from(orgs)
				.where(and(ofTier ? sql`${orgs.id} in (${ofTier})` : rest, isAfterPage(position)))
				.orderBy(desc(orgs.createdAt), desc(orgs.id))
				.limit(limit + 1)
		},

		async find(id: string, month: string) {
			const [row] = await db.select(columns(month)).from(orgs).where(eq(orgs.id, id))
			return row
		},

		listOwners(orgId: string) {
			return db
				.select({ userId: users.id, email: accountEmail, name: users.name })
				.from(orgMembers)
				.innerJoin(users, eq(users.id, orgMembers.userId))
				.where(and(eq(orgMembers.orgId, orgId), sql`${orgMembers.role} = 'owner'`))
				.orderBy(users.id)
				.limit(MAX_OWNERS)
		},

		listAssets(orgId: string, status: AssetStatus | undefined, limit: number, position: Position | null) {
			return db
				.select()
				.from(assets)
				.where(
					and(
						eq(assets.orgId, orgId),
						status && eq(assets.status, status),
						comesBefore(assets.createdAt, assets.id, position),
					),
				)
				.orderBy(desc(assets.createdAt), desc(assets.id))
				.limit(limit + 1)
		},

		async overrideTier(work: UnitOfWork, id: string, override: Override | null): Promise<boolean> {
			const rows = await runAudited(
				work,
				db
					.update(orgs)
					.set({
						tierOverride: override?.tier ?? null,
						tierOverrideUntil: override?.until ?? null,
						tierOverrideReason: override?.reason ?? null,
						updatedAt: work.now,
					})
					.where(and(eq(orgs.id, id), override ? undefined : sql`${orgs.tierOverride} is not null`))
					.returning({ id: orgs.id }),
				{
					action: override ? 'org.tier_overridden' : 'org.tier_override_ended',
					orgId: id,
					target: { kind: 'org', id },
					...(override && { details: { tier: override.tier, until: override.until } }),
				},
			)
			return rows.length === 1
		},
	}
}

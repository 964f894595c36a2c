import { and, desc, eq, exists, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import type { CommunityRole, MembershipStatus } from '#schema/contract/community/fields.ts'
import { calendarFeeds, communities, memberGrants, memberships } from '#schema/tables/community/community.ts'
import { selectEffectiveTier } from '../../accounts/orgs/tiers/effective-tier.ts'
import { auditIfStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { ownedBy } from '../communities/store.ts'
import { memberTarget } from '../people.ts'

/** The ways in which a request can name its community; null if unused. */
export type Selectors = {
	claim: number | null
	headerId: number | null
	headerSlug: string | null
	/** The slug in a host below the base domain. */
	hostSlug: string | null
	/** Null for hosts of the installation itself. */
	host: string | null
	fallbackSlug: string | null
}

export type Claimant = { userId: number; sessionId: string | null; grantId: string | null }

/** The community that each selector found, the resolved community, and the claimant with their membership. */
export type AccessContext = {
	headerSlugId: number | null
	hostSlugId: number | null
	hostDomainId: number | null
	communityId: number | null
	orgId: string | null
	orgSlug: string | null
	tier: TierName | null
	suspendedAt: number | null
	/** JSON. */
	suspensionReasons: string | null
	userId: number | null
	tokenVersion: number | null
	emailVerifiedAt: number | null
	sessionExpiresAt: number | null
	grantVersion: number | null
	grantExpiresAt: number | null
	membershipId: number | null
	role: CommunityRole | null
	status: MembershipStatus | null
}

/**
 * Returns statements that delete the tokens and the calendar feed of a member, for the batch that ends the membership. A
 * returning member needs new ones.
 */
export function endAccessStatements(db: Db, membershipId: number) {
	const hasEnded = sql`
		not exists (select 1 from memberships m where m.id = ${membershipId} and m.status = 'active')
	`
	return [
		db.delete(memberGrants).where(and(eq(memberGrants.membershipId, membershipId), hasEnded)),
		db.delete(calendarFeeds).where(and(eq(calendarFeeds.membershipId, membershipId), hasEnded)),
	] as const
}

const isManaged = (orgId: string, communityId: number, membershipId: number) =>
	and(eq(memberships.id, membershipId), eq(memberships.communityId, communityId), ownedBy(orgId, communityId))

/** Joins the community: after it is deleted, its memberships still exist until the background removal reaches them. */
const activeMembership = sql`
	memberships m join communities c on c.id = m.community_id where m.status = 'active'
`

const idOf = (column: SQL, value: string | null) =>
	sql`(select id from communities where ${column} = ${value})`

export const accessStore = (db: Db) => ({
	/** Loads the data for `authenticateMember` in one statement, because every member request needs it. */
	async loadAccessContext(
		selectors: Selectors,
		claimant: Claimant | null,
		now: number,
	): Promise<AccessContext> {
		const userId = claimant?.userId ?? null
		const [row] = await db.all<AccessContext>(sql`
			with found as materialized (
				select ${idOf(sql`slug`, selectors.headerSlug)} as header_slug,
					${idOf(sql`slug`, selectors.hostSlug)} as host_slug,
					(
						select id from communities
						where custom_domain = ${selectors.host} and domain_verified_at is not null
					) as host_domain,
					${idOf(sql`slug`, selectors.fallbackSlug)} as fallback,
					(
						select case
							when (
								select min(id) from communities
							) = (select max(id) from communities) then (select min(id) from communities)
						end
					) as only_one,
					(
						select case when min(community_id) = max(community_id) then min(community_id) end from memberships
						where user_id = ${userId} and status = 'active'
					) as only_mine
			)
			select found.header_slug as headerSlugId, found.host_slug as hostSlugId,
				found.host_domain as hostDomainId, c.id as communityId, o.id as orgId, o.slug as orgSlug,
				${selectEffectiveTier('o', now)} as tier, o.suspended_at as suspendedAt,
				o.suspension_reasons as suspensionReasons, u.id as userId, u.token_version as tokenVersion,
				u.email_verified_at as emailVerifiedAt, e.expires_at as sessionExpiresAt,
				g.access_version as grantVersion, g.expires_at as grantExpiresAt, m.id as membershipId, m.role,
				m.status
			from found
			left join communities c on c.id = coalesce(
				${selectors.claim}, ${selectors.headerId}, found.header_slug, found.host_slug, found.host_domain,
				found.fallback, found.only_one, found.only_mine
			)
			left join orgs o on o.id = c.org_id
			left join users u on u.id = ${userId}
			left join sessions e on e.id = ${claimant?.sessionId ?? null} and e.user_id = u.id
			left join memberships m on m.community_id = c.id and m.user_id = u.id
			left join member_grants g on g.id = ${claimant?.grantId ?? null} and g.membership_id = m.id
		`)
		return row as AccessContext
	},

	async findCommunity(id: number) {
		const [row] = await db
			.select({ id: communities.id, name: communities.name, slug: communities.slug })
			.from(communities)
			.where(eq(communities.id, id))
		return row
	},

	/** Finds members of an organization's communities by id, address or SSO id, without locked accounts. Two rows mean that the identifier is ambiguous. */
	async findMembersByIdentifier(
		orgId: string,
		identifier: {
			membershipId?: number | undefined
			email?: string | undefined
			ssoUserId?: string | undefined
		},
		communityId: number | undefined,
	) {
		const isIdentified =
			identifier.membershipId !== undefined
				? sql`m.id = ${identifier.membershipId}`
				: identifier.email !== undefined
					? sql`u.email = ${identifier.email}`
					: sql`m.sso_user_id = ${identifier.ssoUserId}`
		return db.all<GrantMember>(sql`
			select m.id as membershipId, m.community_id as communityId, m.user_id as userId, m.status,
				u.token_version as tokenVersion
			from communities c
			join memberships m on m.community_id = c.id
			join users u on u.id = m.user_id
			where c.org_id = ${orgId}
				and u.locked_at is null
				and ${isIdentified}
				and ${communityId === undefined ? sql`true` : sql`c.id = ${communityId}`}
			limit 2
		`)
	},

	/** Returns the grants of a member; undefined unless the member belongs to this community of the organization. */
	async listGrants(orgId: string, communityId: number, membershipId: number, now: number) {
		const { member, grants } = await batch(db, {
			member: db
				.select({ id: memberships.id })
				.from(memberships)
				.where(isManaged(orgId, communityId, membershipId)),
			grants: db
				.select({ id: memberGrants.id, createdAt: memberGrants.createdAt, expiresAt: memberGrants.expiresAt })
				.from(memberGrants)
				.where(and(eq(memberGrants.membershipId, membershipId), gt(memberGrants.expiresAt, now)))
				.orderBy(desc(memberGrants.id)),
		})
		return member.length === 1 ? (grants satisfies GrantRow[]) : undefined
	},

	/** Deletes all grants and returns how many; undefined unless the member belongs to this community of the organization. */
	async endGrants(
		work: UnitOfWork,
		orgId: string,
		communityId: number,
		membershipId: number,
	): Promise<number | undefined> {
		const isMember = isManaged(orgId, communityId, membershipId)
		const { member, ended } = await batch(db, {
			member: db.select({ id: memberships.id }).from(memberships).where(isMember),
			ended: db
				.delete(memberGrants)
				.where(
					and(
						eq(memberGrants.membershipId, membershipId),
						exists(db.select({ id: memberships.id }).from(memberships).where(isMember)),
					),
				)
				.returning({ id: memberGrants.id }),
			entryWritten: auditIfStatement(
				work,
				{
					action: 'community_member.tokens_revoked',
					orgId,
					target: memberTarget(membershipId),
					details: { communityId },
				},
				sql`exists (select 1 from ${memberships} where ${isMember})`,
			),
		})
		return member.length === 1 ? ended.length : undefined
	},

	/** Returns false if the membership or its community has ended since it was read. */
	async insertGrant({
		id,
		membershipId,
		refreshHash,
		familyHash,
		tokenVersion,
		createdAt,
		expiresAt,
	}: NewGrant): Promise<boolean> {
		const rows = await insertSelect(
			db,
			memberGrants,
			{ id, membershipId: sql`m.id`, refreshHash, familyHash, tokenVersion, createdAt, expiresAt },
			sql`from ${activeMembership} and m.id = ${membershipId}`,
		).returning({ id: memberGrants.id })
		return rows.length === 1
	},

	async findGrantByFamily(familyHash: string, now: number) {
		const [row] = await db.all<
			GrantMember & {
				grantId: string
				refreshHash: string
				accessVersion: number
				grantTokenVersion: number
				grantCreatedAt: number
				suspendedAt: number | null
			}
		>(
			sql`select g.id as grantId, g.refresh_hash as refreshHash, g.access_version as accessVersion,
				g.token_version as grantTokenVersion, g.created_at as grantCreatedAt,
				m.id as membershipId, m.community_id as communityId, m.user_id as userId, m.status,
				u.token_version as tokenVersion, o.suspended_at as suspendedAt
			from member_grants g
			join memberships m on m.id = g.membership_id
			join communities c on c.id = m.community_id
			join users u on u.id = m.user_id
			left join orgs o on o.id = c.org_id
			where g.family_hash = ${familyHash} and g.expires_at > ${now}`,
		)
		return row
	},

	/** Returns false if another request used the refresh token first, or the membership or its community has ended. */
	async rotateGrant(
		id: string,
		from: string,
		to: Pick<NewGrant, 'refreshHash' | 'familyHash' | 'expiresAt'>,
	): Promise<boolean> {
		const rows = await db
			.update(memberGrants)
			.set(to)
			.where(
				and(
					eq(memberGrants.id, id),
					eq(memberGrants.refreshHash, from),
					sql`exists (select 1 from ${activeMembership} and m.id = member_grants.membership_id)`,
				),
			)
			.returning({ id: memberGrants.id })
		return rows.length === 1
	},

	/** Deletes a grant and returns its member; undefined if it no longer exists, or was created too early. */
	async endGrantByFamily(familyHash: string, createdSince: number) {
		const [row] = await db
			.delete(memberGrants)
			.where(and(eq(memberGrants.familyHash, familyHash), gte(memberGrants.createdAt, createdSince)))
			.returning({
				id: memberGrants.id,
				membershipId: memberGrants.membershipId,
				communityId:
					sql<number>`(select m.community_id from memberships m where m.id = member_grants.membership_id)`.as(
						'community_id',
					),
			})
		return row
	},

	/** Revokes the access tokens of one version. Revoking an old token twice does not affect newer ones. */
	async endAccess(id: string, version: number, now: number): Promise<void> {
		await db
			.update(memberGrants)
			.set({ accessVersion: version + 1 })
			.where(
				and(
					eq(memberGrants.id, id),
					eq(memberGrants.accessVersion, version),
					gt(memberGrants.expiresAt, now),
				),
			)
	},

	async deleteExpiredGrants(now: number): Promise<void> {
		await db.delete(memberGrants).where(lt(memberGrants.expiresAt, now))
	},
})

type NewGrant = Pick<
	typeof memberGrants.$inferSelect,
	'id' | 'membershipId' | 'refreshHash' | 'familyHash' | 'tokenVersion' | 'createdAt' | 'expiresAt'
>
export type GrantRow = Pick<typeof memberGrants.$inferSelect, 'id' | 'createdAt' | 'expiresAt'>

export type GrantMember = {
	membershipId: number
	communityId: number
	userId: number
	status: MembershipStatus
	tokenVersion: number
}

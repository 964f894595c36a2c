import { and, desc, eq, exists, gt, lt, type SQL, sql } from 'drizzle-orm'
import type { CommunityRole, MembershipStatus } from '#schema/contract/community/fields.ts'
import type { TierName } from '#schema/contract/tiers.ts'
import { calendarFeeds, memberGrants, memberships } from '#schema/tables/community.ts'
import type { Db } from '../../platform/database.ts'
import { ownedBy } from '../communities/store.ts'

/** What a request says about the community it is about; null where it says nothing. */
export type Selectors = {
	claim: number | null
	headerId: number | null
	headerSlug: string | null
	/** From the host, if it lies under the base domain. */
	hostSlug: string | null
	/** Null for hosts of the installation itself. */
	host: string | null
	fallbackSlug: string | null
}

export type Claimant = { userId: number; sessionId: string | null; grantId: string | null }

/** Which community each selector found, the community that is meant, and the claimant in it. */
export type Situation = {
	headerSlugId: number | null
	hostSlugId: number | null
	hostDomainId: number | null
	communityId: number | null
	orgId: string | null
	orgSlug: string | null
	tier: TierName | null
	suspendedAt: number | null
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

/** For the batch in which a membership ends: an access that comes back begins with new tokens and calendar addresses. */
export function endAccessStatements(db: Db, membershipId: number) {
	const isOver = sql`exists (select 1 from memberships m where m.id = ${membershipId} and m.status <> 'active')`
	return [
		db.delete(memberGrants).where(and(eq(memberGrants.membershipId, membershipId), isOver)),
		db.delete(calendarFeeds).where(and(eq(calendarFeeds.membershipId, membershipId), isOver)),
	] as const
}

const isManaged = (orgId: string, communityId: number, membershipId: number) =>
	and(eq(memberships.id, membershipId), eq(memberships.communityId, communityId), ownedBy(orgId, communityId))

const idOf = (column: SQL, value: string | null) =>
	sql`(select id from communities where ${column} = ${value})`

export const accessStore = (db: Db) => ({
	/** All that the three checks need, in one statement: it stands before everything a member does. */
	async findSituation(named: Selectors, claimant: Claimant | null): Promise<Situation> {
		const userId = claimant?.userId ?? null
		const [row] = await db.all<Situation>(sql`
			with found as materialized (select
				${idOf(sql`slug`, named.headerSlug)} as header_slug,
				${idOf(sql`slug`, named.hostSlug)} as host_slug,
				(select id from communities where custom_domain = ${named.host} and domain_verified_at is not null)
					as host_domain,
				${idOf(sql`slug`, named.fallbackSlug)} as fallback,
				(select case when (select min(id) from communities) = (select max(id) from communities)
					then (select min(id) from communities) end) as only_one,
				(select case when min(community_id) = max(community_id) then min(community_id) end
					from memberships where user_id = ${userId} and status = 'active') as only_mine)
			select found.header_slug as headerSlugId, found.host_slug as hostSlugId, found.host_domain as hostDomainId,
				c.id as communityId, o.id as orgId, o.slug as orgSlug, o.tier, o.suspended_at as suspendedAt,
				u.id as userId, u.token_version as tokenVersion, u.email_verified_at as emailVerifiedAt, e.expires_at as sessionExpiresAt,
				g.access_version as grantVersion, g.expires_at as grantExpiresAt,
				m.id as membershipId, m.role, m.status
			from found
			left join communities c on c.id = coalesce(${named.claim}, ${named.headerId}, found.header_slug,
				found.host_slug, found.host_domain, found.fallback, found.only_one, found.only_mine)
			left join orgs o on o.id = c.org_id
			left join users u on u.id = ${userId}
			left join sessions e on e.id = ${claimant?.sessionId ?? null} and e.user_id = u.id
			left join memberships m on m.community_id = c.id and m.user_id = u.id
			left join member_grants g on g.id = ${claimant?.grantId ?? null} and g.membership_id = m.id`)
		return row as Situation
	},

	/** Members of an organization's communities who go by a name; two rows tell that it names several. */
	async findNamedMembers(
		orgId: string,
		name: { membershipId?: number | undefined; email?: string | undefined; ssoUserId?: string | undefined },
		communityId: number | undefined,
	) {
		const by =
			name.membershipId !== undefined
				? sql`m.id = ${name.membershipId}`
				: name.email !== undefined
					? sql`u.email = ${name.email}`
					: sql`m.sso_user_id = ${name.ssoUserId}`
		return db.all<NamedMember>(sql`
			select m.id as membershipId, m.community_id as communityId, m.user_id as userId, m.status,
				u.token_version as tokenVersion
			from communities c
			join memberships m on m.community_id = c.id
			join users u on u.id = m.user_id
			where c.org_id = ${orgId} and ${by} and ${communityId === undefined ? sql`true` : sql`c.id = ${communityId}`}
			limit 2`)
	},

	/** Undefined unless the member is one of the organization's community. */
	async listGrants(orgId: string, communityId: number, membershipId: number, now: number) {
		const [member, rows] = await db.batch([
			db
				.select({ id: memberships.id })
				.from(memberships)
				.where(isManaged(orgId, communityId, membershipId)),
			db
				.select({ id: memberGrants.id, createdAt: memberGrants.createdAt, expiresAt: memberGrants.expiresAt })
				.from(memberGrants)
				.where(and(eq(memberGrants.membershipId, membershipId), gt(memberGrants.expiresAt, now)))
				.orderBy(desc(memberGrants.id)),
		])
		return member.length === 1 ? (rows satisfies GrantRow[]) : undefined
	},

	/** How many there were; undefined unless the member is one of the organization's community. */
	async endGrants(orgId: string, communityId: number, membershipId: number): Promise<number | undefined> {
		const managed = isManaged(orgId, communityId, membershipId)
		const [member, ended] = await db.batch([
			db.select({ id: memberships.id }).from(memberships).where(managed),
			db
				.delete(memberGrants)
				.where(
					and(
						eq(memberGrants.membershipId, membershipId),
						exists(db.select({ id: memberships.id }).from(memberships).where(managed)),
					),
				)
				.returning({ id: memberGrants.id }),
		])
		return member.length === 1 ? ended.length : undefined
	},

	async insertGrant(grant: Omit<typeof memberGrants.$inferInsert, 'accessVersion'>): Promise<void> {
		await db.insert(memberGrants).values(grant)
	},

	async findGrantByFamily(familyHash: string, now: number) {
		const [row] = await db.all<
			NamedMember & {
				grantId: string
				refreshHash: string
				accessVersion: number
				grantTokenVersion: number
				grantCreatedAt: number
			}
		>(
			sql`select g.id as grantId, g.refresh_hash as refreshHash, g.access_version as accessVersion,
				g.token_version as grantTokenVersion, g.created_at as grantCreatedAt,
				m.id as membershipId, m.community_id as communityId, m.user_id as userId, m.status,
				u.token_version as tokenVersion
			from member_grants g
			join memberships m on m.id = g.membership_id
			join users u on u.id = m.user_id
			where g.family_hash = ${familyHash} and g.expires_at > ${now}`,
		)
		return row
	},

	/** False when someone else used the refresh token in the meantime. */
	async rotateGrant(id: string, from: string, to: string, expiresAt: number): Promise<boolean> {
		const rows = await db
			.update(memberGrants)
			.set({ refreshHash: to, expiresAt })
			.where(and(eq(memberGrants.id, id), eq(memberGrants.refreshHash, from)))
			.returning({ id: memberGrants.id })
		return rows.length === 1
	},

	/** Whose it was; undefined when there is none any more. */
	async endGrantByFamily(familyHash: string) {
		const [row] = await db
			.delete(memberGrants)
			.where(eq(memberGrants.familyHash, familyHash))
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

	/** Only the version that the token is of: one that was revoked before ends nothing newer. */
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

	async forgetGrants(now: number): Promise<void> {
		await db.delete(memberGrants).where(lt(memberGrants.expiresAt, now))
	},
})

export type GrantRow = Pick<typeof memberGrants.$inferSelect, 'id' | 'createdAt' | 'expiresAt'>

export type NamedMember = {
	membershipId: number
	communityId: number
	userId: number
	status: MembershipStatus
	tokenVersion: number
}

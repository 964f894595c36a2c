import { and, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import {
	accessGroupMembers,
	calendarFeeds,
	communityInvitations,
	memberships,
} from '#schema/tables/community.ts'
import type { Db } from '../../platform/database.ts'
import { comesBefore, type Position } from '../../platform/keyset.ts'
import { recordEventIfChanged } from '../../platform/outbox.ts'
import { orgOf } from '../access/visible-spaces.ts'
import { firstTellAt } from '../notifications/news.ts'

export type InvitationRow = typeof communityInvitations.$inferSelect
export type NewInvitation = Omit<InvitationRow, 'id' | 'communityId' | 'acceptedAt'>

const rankOf = (role: SQL) =>
	sql`case ${role} when 'owner' then 3 when 'admin' then 2 when 'moderator' then 1 else 0 end`

/** Whoever invited may still do so: a person who was demoted, banned or left lets nobody in any more. An API key has no person. */
const isBacked = sql`(case
	when community_invitations.invited_by_membership_id is not null then exists (
		select 1 from memberships b where b.id = community_invitations.invited_by_membership_id and b.status = 'active'
			and ${rankOf(sql`b.role`)} > ${rankOf(sql`community_invitations.role`)})
	when community_invitations.invited_by_user_id is not null then exists (
		select 1 from communities k join org_members b on b.org_id = k.org_id
		where k.id = community_invitations.community_id and b.user_id = community_invitations.invited_by_user_id
			and b.role in ('owner', 'admin'))
	else 1 end)`

const isOpen = (now: number) =>
	and(isNull(communityInvitations.acceptedAt), gt(communityInvitations.expiresAt, now), isBacked)

/** Those who are in, and those who are to stay out. */
const isSettled = (email: string) =>
	sql`exists (select 1 from users u join memberships m on m.user_id = u.id where u.email = ${email} and m.community_id = c.id and m.status in ('active', 'banned'))`

export const communityInvitationStore = (db: Db) => ({
	async list(communityId: number, limit: number, position: Position | null): Promise<InvitationRow[]> {
		return db
			.select()
			.from(communityInvitations)
			.where(
				and(
					eq(communityInvitations.communityId, communityId),
					comesBefore(communityInvitations.createdAt, communityInvitations.id, position),
				),
			)
			.orderBy(desc(communityInvitations.createdAt), desc(communityInvitations.id))
			.limit(limit + 1)
	},

	/**
	 * With its event. An open invitation to the same address is replaced, and its link with it, if its role is one of
	 * `replaceable`. Nothing when it is not, when there is no such community, `c`, or the person is in or banned.
	 */
	async insert(
		which: SQL,
		orgId: string | null,
		row: NewInvitation,
		replaceable: readonly CommunityRole[],
	): Promise<InvitationRow | undefined> {
		const { email, ...replaced } = row
		const { role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt, invitedByMembershipId } = row
		const { ssoUserId, avatarUrl, headline, bio } = row
		const isTaken = sql`exists (select 1 from memberships m join users u on u.id = m.user_id where m.community_id = c.id and m.sso_user_id = ${ssoUserId} and u.email <> ${email})`
		const roles = sql`(select value from json_each(${JSON.stringify(replaceable)}))`
		const made = sql<number>`(select i.id from community_invitations i where i.token_hash = ${tokenHash})`
		const communityId = sql<number>`(select i.community_id from community_invitations i where i.token_hash = ${tokenHash})`
		const [rows] = await db.batch([
			db
				.insert(communityInvitations)
				.select(
					sql`select null, c.id, ${email}, ${role}, ${invitedByUserId}, ${nonce}, ${tokenHash}, ${createdAt}, ${expiresAt}, null, ${invitedByMembershipId}, ${ssoUserId}, ${avatarUrl}, ${headline}, ${bio} from communities c where ${which} and not ${isSettled(email)} and not ${isTaken}`,
				)
				.onConflictDoUpdate({
					target: [communityInvitations.communityId, communityInvitations.email],
					targetWhere: sql`accepted_at is null`,
					set: replaced,
					setWhere: sql`community_invitations.role in ${roles} or community_invitations.expires_at <= ${createdAt}`,
				})
				.returning(),
			recordEventIfChanged(db, createdAt, {
				type: 'community.member_invited',
				orgId,
				payload: { communityId, invitationId: made },
			}),
		])
		return rows[0]
	},

	async revoke(owned: SQL, communityId: number, id: number): Promise<boolean> {
		const rows = await db
			.delete(communityInvitations)
			.where(
				and(
					eq(communityInvitations.id, id),
					eq(communityInvitations.communityId, communityId),
					isNull(communityInvitations.acceptedAt),
					owned,
				),
			)
			.returning({ id: communityInvitations.id })
		return rows.length === 1
	},

	async findOpen(tokenHash: string, now: number): Promise<InvitationRow | undefined> {
		const [row] = await db
			.select()
			.from(communityInvitations)
			.where(and(eq(communityInvitations.tokenHash, tokenHash), isOpen(now)))
		return row
	},

	async findForMail(id: number) {
		const [row] = await db.all<
			Pick<InvitationRow, 'id' | 'email' | 'role' | 'nonce' | 'tokenHash' | 'createdAt'> & {
				communityName: string
				inviterName: string | null
			}
		>(
			sql`select i.id, i.email, i.role, i.nonce, i.token_hash as tokenHash, i.created_at as createdAt, c.name as communityName, u.name as inviterName from community_invitations i join communities c on c.id = i.community_id left join users u on u.id = i.invited_by_user_id where i.id = ${id} and i.accepted_at is null`,
		)
		return row
	},

	/**
	 * Statements for a batch: the invitation is used, by whoever comes first, the membership is there, and the event;
	 * or none of it. `userId` may be one that the same batch makes. Who comes back gets what the invitation gives: what
	 * the former membership opened was given by somebody else, and is gone first.
	 */
	join(tokenHash: string, email: string, userId: SQL<number> | number, now: number) {
		const used = sql`community_invitations i where i.token_hash = ${tokenHash}`
		const communityId = sql<number>`(select i.community_id from ${used})`
		/** Not one that another member was given in the meantime. */
		const ssoUserId = sql`case when exists (select 1 from memberships m where m.community_id = i.community_id and m.sso_user_id = i.sso_user_id and m.user_id <> ${userId}) then null else i.sso_user_id end`
		const memberId = sql<number>`(select m.id from memberships m where m.community_id = ${communityId} and m.user_id = ${userId})`
		const acceptable = sql`token_hash = ${tokenHash} and email = ${email} and accepted_at is null and expires_at > ${now} and ${isBacked} and not exists (select 1 from memberships m where m.community_id = community_invitations.community_id and m.user_id = ${userId} and m.status = 'banned') and exists (select 1 from communities c left join orgs o on o.id = c.org_id where c.id = community_invitations.community_id and o.suspended_at is null)`
		const former = sql`(select m.id from community_invitations join memberships m on m.community_id = community_invitations.community_id and m.user_id = ${userId} and m.status <> 'active' where ${acceptable})`
		return [
			db.delete(accessGroupMembers).where(sql`membership_id in ${former}`),
			db.delete(calendarFeeds).where(sql`membership_id in ${former}`),
			db
				.update(communityInvitations)
				.set({ acceptedAt: now })
				.where(acceptable)
				.returning({
					communityId: communityInvitations.communityId,
					name: sql<string>`(select c.name from communities c where c.id = community_invitations.community_id)`.as(
						'name',
					),
					slug: sql<string>`(select c.slug from communities c where c.id = community_invitations.community_id)`.as(
						'slug',
					),
				}),
			db
				.insert(memberships)
				.select(
					sql`select null, i.community_id, ${userId}, i.role, 'active', ${ssoUserId}, i.avatar_url, i.headline, i.bio, ${now}, ${now}, '{}', ${firstTellAt(now)} from ${used} and changes() > 0`,
				)
				.onConflictDoUpdate({
					target: [memberships.communityId, memberships.userId],
					set: {
						role: sql`case when memberships.status = 'active' then memberships.role else excluded.role end`,
						status: 'active',
						ssoUserId: sql`coalesce(excluded.sso_user_id, memberships.sso_user_id)`,
						updatedAt: now,
						indexAt: firstTellAt(now),
					},
				})
				.returning({ id: memberships.id }),
			recordEventIfChanged(db, now, {
				type: 'community.member_joined',
				orgId: orgOf(communityId),
				payload: { communityId, memberId },
			}),
		] as const
	},
})

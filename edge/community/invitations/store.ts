import { and, desc, eq, getTableColumns, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import {
	accessGroupMembers,
	calendarFeeds,
	communityInvitations,
	memberships,
} from '#schema/tables/community/community.ts'
import { auditIfChangedStatement, runAudited } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { comesBefore, type Position } from '../../platform/database/keyset.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { selectOrgId } from '../access/visible-spaces.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'

export type InvitationRow = typeof communityInvitations.$inferSelect
export type ListedInvitation = InvitationRow & { memberId: number | null }
export type NewInvitation = Omit<InvitationRow, 'id' | 'communityId' | 'acceptedAt'>

const rankOf = (role: SQL) =>
	sql`case ${role} when 'owner' then 3 when 'admin' then 2 when 'moderator' then 1 else 0 end`

/** SQL condition: the inviter may still invite. Fails once they leave, or are demoted, banned or locked. */
const mayInviterInvite = sql`(
	case
		when community_invitations.invited_by_membership_id is not null then exists (
			select 1 from memberships b
			join users maker on maker.id = b.user_id and maker.locked_at is null
			where b.id = community_invitations.invited_by_membership_id
				and b.status = 'active'
				and ${rankOf(sql`b.role`)} > ${rankOf(sql`community_invitations.role`)}
		)
		when community_invitations.invited_by_user_id is not null then exists (
			select 1 from communities k
			join org_members b on b.org_id = k.org_id
			join users maker on maker.id = b.user_id and maker.locked_at is null
			where k.id = community_invitations.community_id
				and b.user_id = community_invitations.invited_by_user_id
				and b.role in ('owner', 'admin')
		)
		else 1
	end
)`

const isOpen = (now: number) =>
	and(isNull(communityInvitations.acceptedAt), gt(communityInvitations.expiresAt, now), mayInviterInvite)

const isMemberOrBanned = (email: string) =>
	sql`exists (
		select 1 from users u
		join memberships m on m.user_id = u.id
		where u.email = ${email} and m.community_id = c.id and m.status in ('active', 'banned')
	)`

/** Selects a community `c` that may invite the address: the person is no member or banned, and the SSO id is free. */
const invitable = (which: SQL, email: string, ssoUserId: string | null) =>
	sql`
		communities c
		where ${which}
			and not ${isMemberOrBanned(email)}
			and not exists (
				select 1 from memberships m
				join users u on u.id = m.user_id
				where m.community_id = c.id and m.sso_user_id = ${ssoUserId} and u.email is not ${email}
			)
	`

/** SQL condition: an open invitation may be replaced, because its role is in `roles` or it has expired. */
const isReplaceable = (invitation: SQL, now: number, roles: readonly CommunityRole[]) =>
	sql`(
		${invitation}.role in (select value from json_each(${JSON.stringify(roles)}))
		or ${invitation}.expires_at <= ${now}
	)`

/** SQL for the id of the member who accepted. Matches by address, because a change of the address updates the invitation. */
const memberId = sql<number | null>`(
	select m.id from users u
	join memberships m on m.user_id = u.id and m.community_id = community_invitations.community_id
	where u.email = community_invitations.email and community_invitations.accepted_at is not null
)`.as('member_id')

export const communityInvitationStore = (db: Db) => ({
	async list(communityId: number, limit: number, position: Position | null): Promise<ListedInvitation[]> {
		return db
			.select({ ...getTableColumns(communityInvitations), memberId })
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

	/** SQL condition: `insert` would store the invitation. */
	mayInvite(
		which: SQL,
		{ email, ssoUserId, createdAt }: Pick<NewInvitation, 'email' | 'ssoUserId' | 'createdAt'>,
		replaceable: readonly CommunityRole[],
	): SQL {
		const isKept = sql`exists (
			select 1 from community_invitations i
			where i.community_id = c.id
				and i.email = ${email}
				and i.accepted_at is null
				and not ${isReplaceable(sql`i`, createdAt, replaceable)}
		)`
		return sql`exists (select 1 from ${invitable(which, email, ssoUserId)} and not ${isKept})`
	},

	/**
	 * Inserts an invitation with its event. Replaces an open invitation to the same address, and so its link, if its role is
	 * in `replaceable`. Returns undefined if it is not, if no community `c` matches, or if the person is a member or banned.
	 */
	async insert(
		work: UnitOfWork,
		which: SQL,
		orgId: string | null,
		row: NewInvitation,
		replaceable: readonly CommunityRole[],
	): Promise<InvitationRow | undefined> {
		const { email, ...replacement } = row
		const { role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt, invitedByMembershipId } = row
		const { ssoUserId, avatarUrl, headline, bio } = row
		const invitationId = sql<number>`
			(select i.id from community_invitations i where i.token_hash = ${tokenHash})
		`
		const communityId = sql<number>`
			(select i.community_id from community_invitations i where i.token_hash = ${tokenHash})
		`
		const { invitationStored: rows } = await batch(db, {
			invitationStored: insertSelect(
				db,
				communityInvitations,
				{
					communityId: sql`c.id`,
					email,
					role,
					invitedByUserId,
					nonce,
					tokenHash,
					createdAt,
					expiresAt,
					invitedByMembershipId,
					ssoUserId,
					avatarUrl,
					headline,
					bio,
				},
				sql`from ${invitable(which, email, ssoUserId)}`,
			)
				.onConflictDoUpdate({
					target: [communityInvitations.communityId, communityInvitations.email],
					targetWhere: sql`accepted_at is null`,
					set: replacement,
					setWhere: isReplaceable(sql`community_invitations`, createdAt, replaceable),
				})
				.returning(),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'member.invited',
				orgId,
				payload: { communityId, invitationId },
			}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'community_member.invited',
				orgId,
				target: { kind: 'community_invitation', id: invitationId, email },
				details: { role },
			}),
		})
		return rows[0]
	},

	async revoke(work: UnitOfWork, isOwned: SQL, communityId: number, id: number): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.delete(communityInvitations)
				.where(
					and(
						eq(communityInvitations.id, id),
						eq(communityInvitations.communityId, communityId),
						isNull(communityInvitations.acceptedAt),
						isOwned,
					),
				)
				.returning({ id: communityInvitations.id }),
			{
				action: 'community_member.invitation_revoked',
				target: { kind: 'community_invitation', id },
				details: { communityId },
			},
		)
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
			sql`
				select i.id, i.email, i.role, i.nonce, i.token_hash as tokenHash, i.created_at as createdAt,
					c.name as communityName, u.name as inviterName
				from community_invitations i
				join communities c on c.id = i.community_id
				left join users u on u.id = i.invited_by_user_id
				where i.id = ${id} and i.accepted_at is null
			`,
		)
		return row
	},

	/**
	 * Accepts an invitation once and creates the membership with its event, or changes nothing. The same batch may create
	 * the user `userId`. A returning member loses the access groups and the calendar feed of the former membership first.
	 */
	joinByTokenStatements(work: UnitOfWork, tokenHash: string, email: string, userId: SQL<number> | number) {
		const used = sql`community_invitations i where i.token_hash = ${tokenHash}`
		const communityId = sql<number>`(select i.community_id from ${used})`
		/** Null if another member has received this SSO id since the invitation. */
		const ssoUserId = sql`
			case
				when exists (
					select 1 from memberships m
					where m.community_id = i.community_id and m.sso_user_id = i.sso_user_id and m.user_id <> ${userId}
				) then null
				else i.sso_user_id
			end
		`
		const memberId = sql<number>`
			(select m.id from memberships m where m.community_id = ${communityId} and m.user_id = ${userId})
		`
		const acceptable = sql`
			token_hash = ${tokenHash}
			and community_invitations.email = ${email}
			and accepted_at is null
			and expires_at > ${work.now}
			and ${mayInviterInvite}
			and not exists (
				select 1 from memberships m
				where m.community_id = community_invitations.community_id
					and m.user_id = ${userId}
					and m.status = 'banned'
			)
			and exists (
				select 1 from communities c
				left join orgs o on o.id = c.org_id
				where c.id = community_invitations.community_id and o.suspended_at is null
			)
		`
		const former = sql`(
			select m.id from community_invitations
			join memberships m on m.community_id = community_invitations.community_id
				and m.user_id = ${userId}
				and m.status <> 'active'
			where ${acceptable}
		)`
		return {
			accessGroupsLeft: db.delete(accessGroupMembers).where(sql`membership_id in ${former}`),
			calendarFeedDeleted: db.delete(calendarFeeds).where(sql`membership_id in ${former}`),
			invitationAccepted: db
				.update(communityInvitations)
				.set({ acceptedAt: work.now })
				.where(acceptable)
				.returning({
					communityId: communityInvitations.communityId,
					name: sql<string>`
						(select c.name from communities c where c.id = community_invitations.community_id)
					`.as('name'),
					slug: sql<string>`
						(select c.slug from communities c where c.id = community_invitations.community_id)
					`.as('slug'),
				}),
			memberJoined: insertSelect(
				db,
				memberships,
				{
					communityId: sql`i.community_id`,
					userId,
					role: sql`i.role`,
					status: 'active',
					ssoUserId,
					avatarUrl: sql`i.avatar_url`,
					headline: sql`i.headline`,
					bio: sql`i.bio`,
					createdAt: work.now,
					updatedAt: work.now,
					indexAt: computeFirstNotifyAt(work.now),
				},
				sql`from ${used} and changes() > 0`,
			)
				.onConflictDoUpdate({
					target: [memberships.communityId, memberships.userId],
					set: {
						role: sql`case when memberships.status = 'active' then memberships.role else excluded.role end`,
						status: 'active',
						ssoUserId: sql`coalesce(excluded.sso_user_id, memberships.sso_user_id)`,
						updatedAt: work.now,
						indexAt: computeFirstNotifyAt(work.now),
					},
				})
				.returning({ id: memberships.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'member.joined',
				orgId: selectOrgId(communityId),
				payload: { communityId, memberId },
			}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'community_member.joined',
				orgId: selectOrgId(communityId),
				target: { kind: 'community_member', id: memberId, userId },
				actorUserId: userId,
			}),
		}
	},
})

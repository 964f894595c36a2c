import { and, desc, eq, sql } from 'drizzle-orm'
import {
	accessGroupMembers,
	calendarFeeds,
	invitationLinks,
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
import { ownedBy } from '../communities/store.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'

export type LinkRow = typeof invitationLinks.$inferSelect
export type NewLink = Omit<LinkRow, 'id' | 'uses'>

/** Holds if the creator of the link may still grant access and the organization is not suspended. */
const mayMakerInvite = sql`exists (
	select 1 from communities k
	join orgs o on o.id = k.org_id and o.suspended_at is null
	join org_members b on b.org_id = o.id and b.role in ('owner', 'admin')
	join users maker on maker.id = b.user_id and maker.locked_at is null
	where k.id = invitation_links.community_id and b.user_id = invitation_links.made_by_user_id
)`

export const invitationLinkStore = (db: Db) => ({
	async list(communityId: number, limit: number, position: Position | null): Promise<LinkRow[]> {
		return db
			.select()
			.from(invitationLinks)
			.where(
				and(
					eq(invitationLinks.communityId, communityId),
					comesBefore(invitationLinks.createdAt, invitationLinks.id, position),
				),
			)
			.orderBy(desc(invitationLinks.createdAt), desc(invitationLinks.id))
			.limit(limit + 1)
	},

	/** Inserts nothing unless the community belongs to the organization and all access groups to the community. */
	async insert(work: UnitOfWork, orgId: string, row: NewLink): Promise<LinkRow | undefined> {
		const groups = JSON.stringify(row.accessGroupIds)
		const [link] = await runAudited(
			work,
			insertSelect(
				db,
				invitationLinks,
				row,
				sql`
					where ${ownedBy(orgId, row.communityId)}
						and not exists (
							select 1 from json_each(${groups}) wanted
							where not exists (
								select 1 from access_groups g where g.id = wanted.value and g.community_id = ${row.communityId}
							)
						)
				`,
			).returning(),
			{
				action: 'invitation_link.created',
				orgId,
				target: {
					kind: 'invitation_link',
					id: sql`(select l.id from invitation_links l where l.token_hash = ${row.tokenHash})`,
				},
				details: { communityId: row.communityId, role: row.role },
			},
		)
		return link
	},

	async revoke(work: UnitOfWork, orgId: string, communityId: number, id: number): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.delete(invitationLinks)
				.where(
					and(
						eq(invitationLinks.id, id),
						eq(invitationLinks.communityId, communityId),
						ownedBy(orgId, communityId),
					),
				)
				.returning({ id: invitationLinks.id }),
			{
				action: 'invitation_link.revoked',
				orgId,
				target: { kind: 'invitation_link', id },
				details: { communityId },
			},
		)
		return rows.length === 1
	},

	/** Returns the community of a link if the person is already an active member. */
	async findJoined(tokenHash: string, userId: number) {
		const [row] = await db.all<{ id: number; name: string; slug: string; memberId: number }>(
			sql`
				select c.id, c.name, c.slug, m.id as "memberId" from invitation_links l
				join communities c on c.id = l.community_id
				join memberships m on m.community_id = c.id and m.user_id = ${userId} and m.status = 'active'
				where l.token_hash = ${tokenHash}
			`,
		)
		return row
	},

	/**
	 * Consumes one use of a link and adds the person as a member, or changes nothing. A returning member first loses the
	 * access groups and the calendar feed of the former membership.
	 */
	async join(work: UnitOfWork, tokenHash: string, userId: number) {
		const { now } = work
		const link = sql`invitation_links l where l.token_hash = ${tokenHash}`
		const communityId = sql<number>`(select l.community_id from ${link})`
		const memberId = sql<number>`
			(select m.id from memberships m where m.community_id = ${communityId} and m.user_id = ${userId})
		`
		const usable = sql`
			invitation_links.token_hash = ${tokenHash}
			and (max_uses is null or uses < max_uses)
			and (invitation_links.expires_at is null or invitation_links.expires_at > ${now})
			and ${mayMakerInvite}
			and not exists (
				select 1 from memberships m
				where m.community_id = invitation_links.community_id
					and m.user_id = ${userId}
					and m.status in ('active', 'banned')
			)
		`
		const former = sql`(
			select m.id from invitation_links
			join memberships m on m.community_id = invitation_links.community_id and m.user_id = ${userId}
			where ${usable}
		)`
		const { memberJoined } = await batch(db, {
			accessGroupsLeft: db.delete(accessGroupMembers).where(sql`membership_id in ${former}`),
			calendarFeedDeleted: db.delete(calendarFeeds).where(sql`membership_id in ${former}`),
			linkUsed: db.update(invitationLinks).set({ uses: sql`uses + 1` }).where(usable),
			memberJoined: insertSelect(
				db,
				memberships,
				{
					communityId: sql`l.community_id`,
					userId,
					role: sql`l.role`,
					status: 'active',
					createdAt: now,
					updatedAt: now,
					indexAt: computeFirstNotifyAt(now),
				},
				sql`from ${link} and changes() > 0`,
			)
				.onConflictDoUpdate({
					target: [memberships.communityId, memberships.userId],
					set: {
						role: sql`excluded.role`,
						status: 'active',
						updatedAt: now,
						indexAt: computeFirstNotifyAt(now),
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
			}),
			groupsJoined: insertSelect(
				db,
				accessGroupMembers,
				{ accessGroupId: sql`g.id`, membershipId: memberId, createdAt: now },
				sql`
					from invitation_links l
					join json_each(l.access_group_ids) wanted
					join access_groups g on g.id = wanted.value and g.community_id = l.community_id
					where l.token_hash = ${tokenHash} and changes() > 0
				`,
			).onConflictDoNothing(),
		})
		return memberJoined.length === 1
	},
})

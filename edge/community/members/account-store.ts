import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import {
	calendarFeeds,
	communities,
	communityInvitations,
	memberships,
} from '#schema/tables/community/community.ts'
import { auditPerRowStatement } from '../../platform/audit/audit.ts'
import type { Db } from '../../platform/database/database.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'

/** Marks the memberships that show the name of an account for indexing. */
export const renameStatement = (db: Db, userId: number, condition: SQL, now: number) =>
	db
		.update(memberships)
		.set({ updatedAt: now, indexAt: now })
		.where(and(eq(memberships.userId, userId), isNull(memberships.name), condition))
		.returning({ id: memberships.id })

/**
 * Gives the communities of organizations to a person who takes an account over: revokes their open invitations, the roles
 * of others and the person's calendar addresses.
 */
export function handOverStatements(
	work: UnitOfWork,
	{ userId, orgIds, condition }: { userId: number; orgIds: SQL; condition: SQL },
) {
	const { db, now } = work
	const taken = sql`(select ${communities.id} from ${communities} where ${communities.orgId} in ${orgIds})`
	const ownMemberships = sql`(select m.id from memberships m where m.user_id = ${userId})`
	return {
		communityInvitationsDeleted: db
			.delete(communityInvitations)
			.where(
				and(
					sql`${communityInvitations.communityId} in ${taken}`,
					isNull(communityInvitations.acceptedAt),
					condition,
				),
			),
		communityDemotionsWritten: auditPerRowStatement(
			work,
			{
				action: 'community_member.updated',
				orgId: sql`community.org_id`,
				target: { kind: 'community_member', id: sql`former.id`, userId: sql`former.user_id` },
				details: sql`json_object('communityId', former.community_id, 'changed', json('["role"]'), 'role', 'member')`,
				actorUserId: userId,
			},
			sql`
				from ${memberships} as former join ${communities} as community on community.id = former.community_id
				where former.community_id in ${taken} and former.user_id <> ${userId} and former.role <> 'member'
					and ${condition}
			`,
		),
		othersDemoted: db
			.update(memberships)
			.set({ role: 'member', updatedAt: now })
			.where(
				and(
					sql`${memberships.communityId} in ${taken}`,
					ne(memberships.userId, userId),
					ne(memberships.role, 'member'),
					condition,
				),
			),
		ownershipTaken: db
			.update(memberships)
			.set({ role: 'owner', updatedAt: now })
			.where(
				and(
					sql`${memberships.communityId} in ${taken}`,
					eq(memberships.userId, userId),
					eq(memberships.status, 'active'),
					condition,
				),
			),
		calendarFeedsDeleted: db
			.delete(calendarFeeds)
			.where(and(sql`${calendarFeeds.membershipId} in ${ownMemberships}`, condition)),
	}
}

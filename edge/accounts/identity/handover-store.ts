import { and, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import {
	apiKeys,
	orgInvitations,
	orgMembers,
	orgs,
	sessions,
	signInOrigins,
	users,
} from '#schema/tables/accounts/identity.ts'
import { accountDeletionRequests } from '#schema/tables/operations/account-deletion.ts'
import { auditPerRowStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { accountColumns } from '../account-columns.ts'
import type { AccountCommunities } from './communities.ts'
import { passwordChangedEvent } from './credential-store.ts'
import type { UserRow } from './store.ts'

export const handoverStore = (db: Db, communities: AccountCommunities) => ({
	/**
	 * Gives an unverified account to the owner of its address, who may not have created it. Revokes all earlier
	 * credentials, and removes other people's roles in its organizations and communities. Every statement requires the
	 * account to be unverified with this address, so the verifying statement comes last.
	 */
	async claimAccount(work: UnitOfWork, { id, email }: UserRow): Promise<UserRow | undefined> {
		const unverified = sql`
			exists (select 1 from users u where u.id = ${id} and u.email = ${email} and u.email_verified_at is null)
		`
		const hadPassword = sql`exists (
			select 1 from users u
			where u.id = ${id}
				and u.email = ${email}
				and u.email_verified_at is null
				and u.password_hash is not null
		)`
		// Organizations that this account created, or owns while no owner has a verified address.
		const takenOrgs = sql`(select o.org_id from org_members o join ${orgs} on ${orgs.id} = o.org_id
			where o.user_id = ${id} and o.role = 'owner' and (${orgs.createdByUserId} = ${id} or not exists (
				select 1 from org_members v join users w on w.id = v.user_id
				where v.org_id = o.org_id and v.role = 'owner' and w.email_verified_at is not null)))`

		const claimStatement = db
			.update(users)
			.set({
				emailVerifiedAt: work.now,
				passwordHash: null,
				tokenVersion: sql`${users.tokenVersion} + 1`,
				updatedAt: work.now,
			})
			.where(and(eq(users.id, id), eq(users.email, email), isNull(users.emailVerifiedAt)))
			.returning(accountColumns)
		const {
			accountClaimed: [claimed],
		} = await batch(db, {
			apiKeysDeleted: db
				.delete(apiKeys)
				.where(and(or(eq(apiKeys.createdByUserId, id), sql`${apiKeys.orgId} in ${takenOrgs}`), unverified)),
			orgInvitationsDeleted: db
				.delete(orgInvitations)
				.where(
					and(sql`${orgInvitations.orgId} in ${takenOrgs}`, isNull(orgInvitations.acceptedAt), unverified),
				),
			...communities.handOverStatements(work, { userId: id, orgIds: takenOrgs, condition: unverified }),
			orgDemotionsWritten: auditPerRowStatement(
				work,
				{
					action: 'member.role_changed',
					orgId: sql`former.org_id`,
					target: { kind: 'user', id: sql`former.user_id`, userId: sql`former.user_id` },
					details: sql`json_object('role', 'member', 'before', former.role, 'because', 'account_claimed')`,
					actorUserId: id,
				},
				sql`
					from ${orgMembers} as former
					where former.org_id in ${takenOrgs} and former.user_id <> ${id} and former.role <> 'member'
						and ${unverified}
				`,
			),
			orgMembersDemoted: db
				.update(orgMembers)
				.set({ role: 'member' })
				.where(and(sql`${orgMembers.orgId} in ${takenOrgs}`, ne(orgMembers.userId, id), unverified)),
			deletionCancelled: db
				.update(accountDeletionRequests)
				.set({ status: 'cancelled', cancelledAt: work.now })
				.where(
					and(
						eq(accountDeletionRequests.userId, id),
						inArray(accountDeletionRequests.status, ['pending', 'confirmed']),
						unverified,
					),
				),
			originsForgotten: db.delete(signInOrigins).where(and(eq(signInOrigins.userId, id), unverified)),
			sessionsEnded: db.delete(sessions).where(and(eq(sessions.userId, id), unverified)),
			eventRecorded: recordEventIfStatement(work, passwordChangedEvent(id, 'removed'), hadPassword),
			accountClaimed: claimStatement,
		})
		return claimed
	},
})

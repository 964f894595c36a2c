import { and, desc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import { orgInvitations, orgs, users } from '#schema/tables/accounts/identity.ts'
import { auditIfChangedStatement, runAudited } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { comesBefore, type Position } from '../../platform/database/keyset.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { countSeats, isManager } from './store.ts'

export type InvitationRow = typeof orgInvitations.$inferSelect

/** SQL condition: the inviter may still invite. Without an inviter, an invitation stays valid. */
const isBackedByInviter = sql`(
	org_invitations.invited_by_user_id is null
	or exists (
		select 1 from org_members b
		join users maker on maker.id = b.user_id and maker.locked_at is null
		where b.org_id = org_invitations.org_id
			and b.user_id = org_invitations.invited_by_user_id
			and (b.role = 'owner' or (b.role = 'admin' and org_invitations.role <> 'owner'))
	)
)`

const isOpen = (now: number) =>
	and(isNull(orgInvitations.acceptedAt), gt(orgInvitations.expiresAt, now), isBackedByInviter)

const isOfFormerManager = (orgId: string, userId: number) =>
	and(
		eq(orgInvitations.orgId, orgId),
		eq(orgInvitations.invitedByUserId, userId),
		isNull(orgInvitations.acceptedAt),
		sql`not ${isManager(orgId, userId)}`,
	)

/** Returns SQL for the ids that `revokeOfFormerManagerStatement` would delete, as JSON. */
export const selectFormerManagerInvitations = (orgId: string, userId: number): SQL =>
	sql`json(
		(
			select json_group_array(${orgInvitations.id}) from ${orgInvitations}
			where ${isOfFormerManager(orgId, userId)}
		)
	)`

const hasSeat = (orgId: string, email: string, max: number | null, now: number) =>
	sql`(${max} is null or ${countSeats(orgId, now, email)} < ${max})`

/** SQL condition: an open invitation may be replaced, because its role is in `roles` or it has expired. */
const isReplaceable = (roles: readonly OrgRole[], now: number) =>
	sql`(${inArray(orgInvitations.role, roles)} or ${lte(orgInvitations.expiresAt, now)})`

export const invitationStore = (db: Db) => ({
	async list(orgId: string, limit: number, position: Position | null) {
		return db
			.select()
			.from(orgInvitations)
			.where(
				and(
					eq(orgInvitations.orgId, orgId),
					comesBefore(orgInvitations.createdAt, orgInvitations.id, position),
				),
			)
			.orderBy(desc(orgInvitations.createdAt), desc(orgInvitations.id))
			.limit(limit + 1)
	},

	/** SQL condition: `invite` would store the invitation. */
	mayInvite(
		{ orgId, email, createdAt }: Pick<InvitationRow, 'orgId' | 'email' | 'createdAt'>,
		max: number | null,
		replaces: readonly OrgRole[],
	): SQL {
		const isKept = and(
			eq(orgInvitations.orgId, orgId),
			eq(orgInvitations.email, email),
			isNull(orgInvitations.acceptedAt),
			sql`not ${isReplaceable(replaces, createdAt)}`,
		)
		return sql`
			${hasSeat(orgId, email, max, createdAt)}
			and not exists (select 1 from ${orgInvitations} where ${isKept})
		`
	},

	/**
	 * Inserts an invitation with its event. Replaces an unused invitation of the same address, and so its link, if its role is
	 * in `replaces` or it has expired. Returns false if not, or if all `max` seats are taken.
	 */
	async invite(
		work: UnitOfWork,
		row: InvitationRow,
		max: number | null,
		replaces: readonly OrgRole[],
	): Promise<boolean> {
		const { id, orgId, email, role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt } = row
		const { invitationStored } = await batch(db, {
			invitationStored: insertSelect(
				db,
				orgInvitations,
				{ id, orgId, email, role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt },
				sql`where ${hasSeat(orgId, email, max, createdAt)}`,
			)
				.onConflictDoUpdate({
					target: [orgInvitations.orgId, orgInvitations.email],
					targetWhere: isNull(orgInvitations.acceptedAt),
					set: { id, role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt },
					setWhere: isReplaceable(replaces, createdAt),
				})
				.returning({ id: orgInvitations.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'org.member_invited',
				orgId,
				payload: { invitationId: id },
			}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'member.invited',
				orgId,
				target: { kind: 'invitation', id, email },
				details: { role },
			}),
		})
		return invitationStored.length === 1
	},

	/** Deletes an unused invitation if its role is one of `roles`. */
	async revoke(work: UnitOfWork, orgId: string, id: string, roles: readonly OrgRole[]): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.delete(orgInvitations)
				.where(
					and(
						eq(orgInvitations.orgId, orgId),
						eq(orgInvitations.id, id),
						isNull(orgInvitations.acceptedAt),
						inArray(orgInvitations.role, roles),
					),
				)
				.returning({ id: orgInvitations.id }),
			{ action: 'member.invitation_revoked', orgId, target: { kind: 'invitation', id } },
		)
		return rows.length === 1
	},

	/** Deletes the unused invitations of a person unless they are an owner or admin of the organization. */
	revokeOfFormerManagerStatement(orgId: string, userId: number) {
		return db.delete(orgInvitations).where(isOfFormerManager(orgId, userId))
	},

	async findOpen(tokenHash: string, now: number) {
		const [row] = await db
			.select()
			.from(orgInvitations)
			.where(and(eq(orgInvitations.tokenHash, tokenHash), isOpen(now)))
		return row
	},

	async find(id: string) {
		const [row] = await db
			.select({ invitation: orgInvitations, orgName: orgs.name, inviterName: users.name })
			.from(orgInvitations)
			.innerJoin(orgs, eq(orgs.id, orgInvitations.orgId))
			.leftJoin(users, eq(users.id, orgInvitations.invitedByUserId))
			.where(eq(orgInvitations.id, id))
		return row
	},

	/** Marks an open invitation as used; of two concurrent calls only one updates a row. */
	useStatement(id: string, now: number) {
		return db
			.update(orgInvitations)
			.set({ acceptedAt: now })
			.where(and(eq(orgInvitations.id, id), isOpen(now)))
			.returning({ id: orgInvitations.id })
	},
})

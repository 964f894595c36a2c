import { and, desc, eq, gt, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { orgs, users } from '#schema/tables/accounts/identity.ts'
import { impersonations } from '#schema/tables/accounts/impersonations.ts'
import { auditIfChangedStatement, auditPerRowStatement, runAudited } from '../../../platform/audit/audit.ts'
import { DAY } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { comesBefore, type Position } from '../../../platform/database/keyset.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { accountColumns, accountEmail } from '../../account-columns.ts'
import { selectEffectiveTier } from '../../orgs/tiers/effective-tier.ts'

type Row = typeof impersonations.$inferSelect
export type NewImpersonation = Omit<Row, 'impersonatorTokenVersion' | 'impersonatorId' | 'lastSeenAt'> & {
	impersonatorId: number
}

/** A record is kept this long after the impersonation. */
const KEPT_MS = 365 * DAY

/** SQL condition: the superadmin may act as the user in the organization. */
const mayImpersonate = (impersonatorId: SQL, userId: SQL, orgId: SQL): SQL =>
	sql`
		${impersonatorId} <> ${userId}
		and exists (
			select 1 from users as target
			where target.id = ${userId} and target.is_superadmin = 0 and target.locked_at is null
		)
		and exists (
			select 1 from org_members as place where place.org_id = ${orgId} and place.user_id = ${userId}
		)
		and exists (select 1 from orgs as host where host.id = ${orgId} and host.support_access = 1)
	`

/** SQL condition: the session in which the superadmin started is still open. */
const isOpenSession = (sessionId: SQL, impersonatorId: SQL, now: number): SQL =>
	sql`exists (
		select 1 from sessions as own
		where own.id = ${sessionId} and own.user_id = ${impersonatorId} and own.expires_at > ${now}
	)`

const isOpen = (now: number) => and(isNull(impersonations.endedAt), gt(impersonations.expiresAt, now))

const entry = (
	action: 'impersonation.started' | 'impersonation.ended',
	row: { orgId: string; id: string },
) => ({
	action,
	orgId: row.orgId,
	target: { kind: 'impersonation' as const, id: row.id },
})

export const impersonationStore = (db: Db) => ({
	/** Returns false if the impersonator is no superadmin any more, or may not act as the user. */
	async start(work: UnitOfWork, row: NewImpersonation): Promise<boolean> {
		const started = insertSelect(
			db,
			impersonations,
			{
				id: row.id,
				impersonatorId: sql`${users.id}`,
				impersonatorTokenVersion: sql`${users.tokenVersion}`,
				sessionId: row.sessionId,
				userId: row.userId,
				orgId: row.orgId,
				reason: row.reason,
				caseNumber: row.caseNumber,
				mayWrite: row.mayWrite,
				createdAt: row.createdAt,
				expiresAt: row.expiresAt,
			},
			sql`from ${users} where ${users.id} = ${row.impersonatorId} and ${users.isSuperadmin} = 1
				and ${isOpenSession(sql`${row.sessionId}`, sql`${users.id}`, row.createdAt)}
				and ${mayImpersonate(sql`${users.id}`, sql`${row.userId}`, sql`${row.orgId}`)}`,
		).returning({ id: impersonations.id })
		const { inserted } = await batch(db, {
			inserted: started,
			entryWritten: auditIfChangedStatement(work, {
				...entry('impersonation.started', row),
				target: { kind: 'impersonation', id: row.id, userId: row.userId },
				details: { write: row.mayWrite },
			}),
		})
		return inserted.length === 1
	},

	/** Loads what determines whether the member may be impersonated; undefined if there is no such member. */
	async findTarget(userId: number, orgId: string) {
		const [row] = await db.all<{ isSuperadmin: number; isLocked: number; supportAccess: number }>(
			sql`
				select u.is_superadmin as isSuperadmin, u.locked_at is not null as isLocked,
					o.support_access as supportAccess
				from org_members m
				join users u on u.id = m.user_id
				join orgs o on o.id = m.org_id
				where m.org_id = ${orgId} and m.user_id = ${userId}
			`,
		)
		return row
	},

	/** Loads everything that a request of an impersonation needs, in one statement. */
	async findPerson(id: string, orgIdInPath: string | undefined, now: number) {
		const [row] = await db
			.select({
				impersonation: impersonations,
				user: accountColumns,
				org: {
					id: orgs.id,
					slug: orgs.slug,
					tier: selectEffectiveTier('orgs', now),
					suspendedAt: orgs.suspendedAt,
					suspensionReasons: orgs.suspensionReasons,
					requiresSecondFactor: orgs.requiresSecondFactor,
					keysNeedProof: orgs.keysNeedProof,
				},
				// A path with another organization finds no membership.
				role: sql<'owner' | 'admin' | 'member' | null>`(
					select role from org_members as place
					where place.org_id = ${orgs.id}
						and place.user_id = ${users.id}
						and place.org_id = ${orgIdInPath ?? sql`${orgs.id}`}
				)`,
				impersonatorEmail: sql<string>`
					(select email from users as actor where actor.id = ${impersonations.impersonatorId})
				`,
				impersonatorHasSecondFactor: sql<number>`exists (
					select 1 from users as actor
					where actor.id = ${impersonations.impersonatorId} and actor.second_factor_at is not null
				)`,
			})
			.from(impersonations)
			.innerJoin(users, eq(users.id, impersonations.userId))
			.innerJoin(orgs, eq(orgs.id, impersonations.orgId))
			.where(
				and(
					eq(impersonations.id, id),
					isOpen(now),
					sql`exists (
						select 1 from users as actor
						where actor.id = ${impersonations.impersonatorId}
							and actor.is_superadmin = 1
							and actor.token_version = ${impersonations.impersonatorTokenVersion}
					)`,
					isOpenSession(sql`${impersonations.sessionId}`, sql`${impersonations.impersonatorId}`, now),
					mayImpersonate(
						sql`${impersonations.impersonatorId}`,
						sql`${impersonations.userId}`,
						sql`${impersonations.orgId}`,
					),
				),
			)
		return row
	},

	async list(orgId: string, limit: number, position: Position | null) {
		return db
			.select({ impersonation: impersonations, impersonatorEmail: accountEmail })
			.from(impersonations)
			.leftJoin(users, eq(users.id, impersonations.impersonatorId))
			.where(
				and(
					eq(impersonations.orgId, orgId),
					comesBefore(impersonations.createdAt, impersonations.id, position),
				),
			)
			.orderBy(desc(impersonations.createdAt), desc(impersonations.id))
			.limit(limit + 1)
	},

	/** Lists a member's open impersonations, newest first. */
	async listOpenByUser(userId: number, now: number) {
		return db
			.select({ impersonation: impersonations, impersonatorEmail: accountEmail })
			.from(impersonations)
			.innerJoin(users, eq(users.id, impersonations.impersonatorId))
			.where(and(eq(impersonations.userId, userId), isOpen(now)))
			.orderBy(desc(impersonations.createdAt), desc(impersonations.id))
	},

	async touch(id: string, now: number, seenBefore: number): Promise<void> {
		await db
			.update(impersonations)
			.set({ lastSeenAt: now })
			.where(
				and(
					eq(impersonations.id, id),
					sql`coalesce(${impersonations.lastSeenAt}, ${impersonations.createdAt}) < ${seenBefore}`,
				),
			)
	},

	/** Ends an impersonation of the member in any organization. Returns false if there is no open one. */
	async endOwn(work: UnitOfWork, userId: number, id: string): Promise<boolean> {
		const ended = await runAudited(
			work,
			db
				.update(impersonations)
				.set({ endedAt: work.now })
				.where(and(eq(impersonations.userId, userId), eq(impersonations.id, id), isOpen(work.now)))
				.returning({ id: impersonations.id }),
			{
				action: 'impersonation.ended',
				orgId: sql`(select org_id from impersonations as over where over.id = ${id})`,
				target: { kind: 'impersonation', id },
			},
		)
		return ended.length === 1
	},

	/** Ends all impersonations of the member in all organizations. Returns their ids. */
	async endAllByUser(work: UnitOfWork, userId: number): Promise<string[]> {
		const areOpen = and(eq(impersonations.userId, userId), isOpen(work.now))
		const { ended } = await batch(db, {
			entriesWritten: auditPerRowStatement(
				work,
				{
					action: 'impersonation.ended',
					orgId: sql`${impersonations.orgId}`,
					target: { kind: 'impersonation', id: sql`${impersonations.id}` },
				},
				sql`from ${impersonations} where ${areOpen}`,
			),
			ended: db
				.update(impersonations)
				.set({ endedAt: work.now })
				.where(areOpen)
				.returning({ id: impersonations.id }),
		})
		return ended.map(({ id }) => id)
	},

	/** Returns false if the organization has no such open impersonation. */
	async end(work: UnitOfWork, orgId: string, id: string): Promise<boolean> {
		const ended = await runAudited(
			work,
			db
				.update(impersonations)
				.set({ endedAt: work.now })
				.where(and(eq(impersonations.orgId, orgId), eq(impersonations.id, id), isOpen(work.now)))
				.returning({ id: impersonations.id }),
			entry('impersonation.ended', { orgId, id }),
		)
		return ended.length === 1
	},

	/** Changes support access. Without it, the open impersonations of the organization are ended. */
	async setSupportAccess(work: UnitOfWork, orgId: string, allowed: boolean): Promise<boolean> {
		const { found } = await batch(db, {
			changed: db
				.update(orgs)
				.set({ supportAccess: allowed })
				.where(and(eq(orgs.id, orgId), sql`${orgs.supportAccess} <> ${allowed ? 1 : 0}`)),
			entryWritten: auditIfChangedStatement(work, {
				action: 'support_access.changed',
				orgId,
				target: { kind: 'org', id: orgId },
				details: { allowed },
			}),
			ended: allowed
				? null
				: db
						.update(impersonations)
						.set({ endedAt: work.now })
						.where(and(eq(impersonations.orgId, orgId), isOpen(work.now))),
			found: db.select({ id: orgs.id }).from(orgs).where(eq(orgs.id, orgId)),
		})
		return found.length === 1
	},

	async prune(now: number): Promise<void> {
		await db.delete(impersonations).where(lt(impersonations.expiresAt, now - KEPT_MS))
	},
})

export type ImpersonationRow = Row

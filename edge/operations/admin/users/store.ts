import { and, asc, desc, eq, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { AuditAction } from '#schema/contract/accounts/audit/actions.ts'
import { orgMembers, orgs, sessions, users } from '#schema/tables/accounts/identity.ts'
import { auditIfChangedStatement, runAudited } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { matchesPrefix, toLowerAscii } from '../search.ts'

export type UserRow = typeof users.$inferSelect
export type UserFilter = { q?: string | undefined; only?: 'superadmins' | 'locked' | undefined }

const MAX_ORGS = 200

/** Literals, because SQLite uses a partial index only if the query includes its condition. */
const onlyConditions = {
	superadmins: sql`${users.isSuperadmin} = 1`,
	locked: sql`${users.lockedAt} is not null`,
}

/** Returns a query for the ids of users that match a search. */
const foundUsers = (q: string): SQL => {
	const user = sql`users as found`
	const byId = sql`
		select found.id from users as found where found.id = ${/^\d{1,15}$/.test(q) ? Number(q) : 0}
	`
	return sql.join(
		[
			byId,
			matchesPrefix(sql`found.id`, user, sql`found.email`, q.toLowerCase()),
			matchesPrefix(sql`found.id`, user, sql`lower(found.name)`, toLowerAscii(q)),
		],
		sql` union `,
	)
}

const entry = (action: AuditAction, userId: number) => ({
	action,
	orgId: null,
	target: { kind: 'user' as const, id: userId, userId },
})

/** Revokes every token of a user. */
const tokensRevoked = { tokenVersion: sql`${users.tokenVersion} + 1` }

export const adminUserStore = (db: Db) => {
	const update = async (
		work: UnitOfWork,
		id: number,
		change: Partial<Pick<UserRow, 'lockedAt' | 'isSuperadmin' | 'updatedAt'>>,
		condition: SQL | undefined,
		action: AuditAction,
	): Promise<UserRow | undefined> => {
		const [row] = await runAudited(
			work,
			db
				.update(users)
				.set(change)
				.where(and(eq(users.id, id), condition))
				.returning(),
			entry(action, id),
		)
		return row
	}

	return {
		/** Lists users, newest first. */
		list({ q, only }: UserFilter, limit: number, beforeId: number | null): Promise<UserRow[]> {
			return db
				.select()
				.from(users)
				.where(
					and(
						q === undefined ? undefined : sql`${users.id} in (${foundUsers(q)})`,
						only && onlyConditions[only],
						beforeId === null ? undefined : lt(users.id, beforeId),
					),
				)
				.orderBy(desc(users.id))
				.limit(limit + 1)
		},

		async find(id: number): Promise<UserRow | undefined> {
			const [row] = await db.select().from(users).where(eq(users.id, id))
			return row
		},

		async findAccess(userId: number, now: number) {
			const { open, memberships } = await batch(db, {
				open: db
					.select({
						count: sql<number>`count(*)`,
						lastSeenAt: sql<number | null>`max(${sessions.lastSeenAt})`,
					})
					.from(sessions)
					.where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now))),
				memberships: db
					.select({ id: orgs.id, name: orgs.name, slug: orgs.slug, role: orgMembers.role })
					.from(orgMembers)
					.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
					.where(eq(orgMembers.userId, userId))
					.orderBy(asc(orgMembers.createdAt))
					.limit(MAX_ORGS),
			})
			return { sessions: open[0]?.count ?? 0, lastSeenAt: open[0]?.lastSeenAt ?? null, orgs: memberships }
		},

		/** Locks a user who is not a superadmin, and ends their sessions and tokens. */
		async lock(work: UnitOfWork, id: number): Promise<UserRow | undefined> {
			const { locked } = await batch(db, {
				locked: db
					.update(users)
					.set({ lockedAt: work.now, updatedAt: work.now, ...tokensRevoked })
					.where(and(eq(users.id, id), isNull(users.lockedAt), sql`${users.isSuperadmin} = 0`))
					.returning(),
				entryWritten: auditIfChangedStatement(work, entry('user.locked', id)),
				sessionsEnded: db.delete(sessions).where(and(eq(sessions.userId, id), sql`changes() > 0`)),
			})
			return locked[0]
		},

		unlock: (work: UnitOfWork, id: number) =>
			update(work, id, { lockedAt: null, updatedAt: work.now }, isNotNull(users.lockedAt), 'user.unlocked'),

		/** Ends the sessions and tokens of a user. Returns the number of sessions ended. */
		async endSessions(work: UnitOfWork, id: number): Promise<number | undefined> {
			const { tokensEnded, sessionsEnded } = await batch(db, {
				tokensEnded: db.update(users).set(tokensRevoked).where(eq(users.id, id)).returning({ id: users.id }),
				entryWritten: auditIfChangedStatement(work, entry('user.sessions_ended', id)),
				sessionsEnded: db.delete(sessions).where(eq(sessions.userId, id)).returning({ id: sessions.id }),
			})
			return tokensEnded.length === 1 ? sessionsEnded.length : undefined
		},

		promote: (work: UnitOfWork, id: number, needsSecondFactor: boolean) =>
			update(
				work,
				id,
				{ isSuperadmin: true, updatedAt: work.now },
				and(
					sql`
						${users.isSuperadmin} = 0 and ${users.lockedAt} is null and ${users.emailVerifiedAt} is not null
					`,
					needsSecondFactor ? isNotNull(users.secondFactorAt) : undefined,
				),
				'superadmin.granted',
			),

		/**
		 * The statement itself checks that another superadmin remains, so that two superadmins can't demote each other
		 * concurrently.
		 */
		demote: (work: UnitOfWork, id: number) =>
			update(
				work,
				id,
				{ isSuperadmin: false, updatedAt: work.now },
				sql`
					${users.isSuperadmin} = 1
					and exists (select 1 from users as staying where staying.is_superadmin = 1 and staying.id <> ${id})
				`,
				'superadmin.revoked',
			),
	}
}

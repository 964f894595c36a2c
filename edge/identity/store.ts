import { and, asc, desc, eq, gt, lt, ne, type SQL, sql } from 'drizzle-orm'
import { orgMembers, orgs, sessions, users } from '#schema/tables/identity.ts'
import type { Db } from '../platform/database.ts'

export type UserRow = typeof users.$inferSelect
export type SessionRow = typeof sessions.$inferSelect

export type NewSession = Pick<SessionRow, 'id' | 'userAgent' | 'ip' | 'byCode' | 'createdAt' | 'expiresAt'>

export const identityStore = (db: Db) => ({
	/** One statement for all that a request of a signed-in person needs to know. */
	async findPerson(sessionId: string, userId: number, orgId: string | null) {
		const [row] = await db
			.select({
				userId: users.id,
				email: users.email,
				name: users.name,
				isSuperadmin: users.isSuperadmin,
				tokenVersion: users.tokenVersion,
				hasPassword: sql<number>`${users.passwordHash} is not null`.as('has_password'),
				createdAt: users.createdAt,
				sessionExpiresAt: sessions.expiresAt,
				sessionCreatedAt: sessions.createdAt,
				sessionByCode: sessions.byCode,
				lastSeenAt: sessions.lastSeenAt,
				orgId: orgs.id,
				slug: orgs.slug,
				tier: orgs.tier,
				suspendedAt: orgs.suspendedAt,
				role: orgMembers.role,
			})
			.from(sessions)
			.innerJoin(users, eq(users.id, sessions.userId))
			.leftJoin(orgs, eq(orgs.id, orgId ?? ''))
			.leftJoin(orgMembers, and(eq(orgMembers.orgId, orgs.id), eq(orgMembers.userId, users.id)))
			.where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
		return row
	},

	async findUserByEmail(email: string) {
		const [row] = await db.select().from(users).where(eq(users.email, email))
		return row
	},

	async findUser(id: number) {
		const [row] = await db.select().from(users).where(eq(users.id, id))
		return row
	},

	/** Where a token is scoped to that was asked for without naming an organization: the oldest open membership. */
	async findOpenOrg(userId: number) {
		const [row] = await db
			.select({ id: orgs.id, slug: orgs.slug })
			.from(orgMembers)
			.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
			.where(and(eq(orgMembers.userId, userId), sql`${orgs.suspendedAt} is null`))
			.orderBy(asc(orgMembers.createdAt), asc(orgs.id))
			.limit(1)
		return row
	},

	async listMemberships(userId: number) {
		return db
			.select({
				orgId: orgs.id,
				slug: orgs.slug,
				name: orgs.name,
				role: orgMembers.role,
				suspendedAt: orgs.suspendedAt,
			})
			.from(orgMembers)
			.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
			.where(eq(orgMembers.userId, userId))
			.orderBy(asc(orgMembers.createdAt), asc(orgs.id))
	},

	/** For statements of a batch that makes the user in question. */
	idByEmail(email: string) {
		return sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`
	},

	/** Statement for a batch. It comes before the organization's: who finds none becomes the superadmin. */
	insertUser(user: Pick<UserRow, 'email' | 'name' | 'passwordHash'>, now: number) {
		return db
			.insert(users)
			.values({
				...user,
				isSuperadmin: sql`not exists (select 1 from ${orgs})`,
				createdAt: now,
				updatedAt: now,
			})
			.returning()
	},

	insertSession(session: NewSession, userId: number | SQL<number>) {
		return db.insert(sessions).values({ ...session, userId, lastSeenAt: session.createdAt })
	},

	/** False when the account changed since it was read: a login must not outlive a change of password. */
	async openSession(session: NewSession, user: Pick<UserRow, 'id' | 'tokenVersion'>): Promise<boolean> {
		const rows = await db
			.insert(sessions)
			.select(
				sql`select ${session.id}, ${users.id}, ${session.userAgent}, ${session.ip}, ${session.byCode ? 1 : 0}, ${session.createdAt}, ${session.createdAt}, ${session.expiresAt} from ${users} where ${users.id} = ${user.id} and ${users.tokenVersion} = ${user.tokenVersion}`,
			)
			.returning({ id: sessions.id })
		return rows.length === 1
	},

	async extendSession(id: string, now: number, expiresAt: number): Promise<boolean> {
		const rows = await db
			.update(sessions)
			.set({ lastSeenAt: now, expiresAt })
			.where(and(eq(sessions.id, id), gt(sessions.expiresAt, now)))
			.returning({ id: sessions.id })
		return rows.length === 1
	},

	async touchSession(id: string, now: number, seenBefore: number): Promise<void> {
		await db
			.update(sessions)
			.set({ lastSeenAt: now })
			.where(and(eq(sessions.id, id), lt(sessions.lastSeenAt, seenBefore)))
	},

	async listSessions(userId: number, now: number) {
		return db
			.select()
			.from(sessions)
			.where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
			.orderBy(desc(sessions.createdAt), desc(sessions.id))
	},

	async endSession(id: string, userId: number): Promise<boolean> {
		const rows = await db
			.delete(sessions)
			.where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
			.returning({ id: sessions.id })
		return rows.length === 1
	},

	/** Raises the token version, and ends every session but one, if the password is still the one that was checked. */
	async changePassword(
		user: UserRow,
		passwordHash: string,
		keepSessionId: string,
		now: number,
	): Promise<boolean> {
		const [changed] = await db.batch([
			db
				.update(users)
				.set({ passwordHash, tokenVersion: user.tokenVersion + 1, updatedAt: now })
				.where(and(eq(users.id, user.id), eq(users.tokenVersion, user.tokenVersion)))
				.returning({ id: users.id }),
			db
				.delete(sessions)
				.where(and(eq(sessions.userId, user.id), ne(sessions.id, keepSessionId), sql`changes() > 0`)),
		])
		return changed.length === 1
	},

	async replacePasswordHash(user: UserRow, passwordHash: string): Promise<void> {
		await db
			.update(users)
			.set({ passwordHash })
			.where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? '')))
	},

	async forgetSessions(now: number): Promise<void> {
		await db.delete(sessions).where(lt(sessions.expiresAt, now))
	},
})

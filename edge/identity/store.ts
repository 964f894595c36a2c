import { and, asc, desc, eq, gt, isNotNull, isNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/platform/roles.ts'
import type { TierName } from '#schema/contract/platform/tiers.ts'
import { communityInvitations } from '#schema/tables/community.ts'
import {
	addressCodes,
	orgInvitations,
	orgMembers,
	orgs,
	otpCodes,
	sessions,
	users,
} from '#schema/tables/identity.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import { batch } from '../platform/database/batch.ts'
import type { Db } from '../platform/database/database.ts'
import { insertSelect } from '../platform/database/insert-select.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../platform/outbox/outbox.ts'

export type UserRow = typeof users.$inferSelect
export type SessionRow = typeof sessions.$inferSelect

export type NewSession = Pick<
	SessionRow,
	'id' | 'userAgent' | 'ip' | 'byCode' | 'createdAt' | 'expiresAt' | 'provedAt' | 'renewalId'
>

type Flag = 'isSuperadmin' | 'hasPassword' | 'emailVerified' | 'provedByCode'
type FoundPerson = Pick<UserRow, 'email' | 'name' | 'tokenVersion' | 'createdAt'> &
	Pick<SessionRow, 'lastSeenAt' | 'provedAt'> & {
		userId: number
		sessionExpiresAt: number
		/** The requested organization, or null if it does not exist. `role` is null if the person is no member. */
		orgId: string | null
		slug: string | null
		tier: TierName | null
		suspendedAt: number | null
		role: OrgRole | null
	} & Record<Flag, boolean>
/** SQLite has no booleans. */
type PersonRow = Omit<FoundPerson, Flag> & Record<Flag, 0 | 1>

/** A session expires this long after its last renewal. */
export const SESSION_IDLE_MS = 30 * DAY
/** A session expires this long after its start, however often it was renewed. */
const SESSION_LIFE_MS = 90 * DAY
/** How long a client can repeat a renewal whose response was lost. */
const RENEWAL_RETRY_MS = MINUTE

const isRetryOf = (renewalId: string, now: number) =>
	and(eq(sessions.formerRenewalId, renewalId), gt(sessions.renewedAt, now - RENEWAL_RETRY_MS))

export const passwordChanged = (userId: number, change: 'set' | 'replaced' | 'removed') =>
	({ type: 'account.password_changed', orgId: null, payload: { userId, change } }) as const

export const identityStore = (db: Db) => ({
	/**
	 * Loads everything that a request of a signed-in person needs, in one statement. It is written as plain SQL because
	 * every such request runs it, and the query builder would add a tenth to the request's CPU time.
	 */
	async findPerson(
		sessionId: string,
		userId: number,
		orgId: string | null,
	): Promise<FoundPerson | undefined> {
		const [row] = await db.all<PersonRow>(sql`
			select u.id as userId, u.email, u.name, u.is_superadmin as isSuperadmin, u.token_version as tokenVersion,
				u.password_hash is not null as hasPassword, u.email_verified_at is not null as emailVerified, u.created_at as createdAt,
				s.expires_at as sessionExpiresAt, s.proved_at as provedAt, s.by_code as provedByCode,
				s.last_seen_at as lastSeenAt, o.id as orgId, o.slug, o.tier, o.suspended_at as suspendedAt, m.role
			from sessions s
			join users u on u.id = s.user_id
			left join orgs o on o.id = ${orgId}
			left join org_members m on m.org_id = o.id and m.user_id = u.id
			where s.id = ${sessionId} and s.user_id = ${userId}`)
		return (
			row && {
				...row,
				isSuperadmin: row.isSuperadmin === 1,
				hasPassword: row.hasPassword === 1,
				emailVerified: row.emailVerified === 1,
				provedByCode: row.provedByCode === 1,
			}
		)
	},

	async findUserByEmail(email: string) {
		const [row] = await db.select().from(users).where(eq(users.email, email))
		return row
	},

	async findUser(id: number) {
		const [row] = await db.select().from(users).where(eq(users.id, id))
		return row
	},

	/** Returns the default organization of a token: the oldest membership in one that is not suspended. */
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

	/** Returns a subquery for the id of a user that an earlier statement of the same batch creates. */
	idByEmail(email: string) {
		return sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`
	},

	/** Makes the user the superadmin if there is none. The statement checks this, so only one of two signups succeeds. */
	insertUserStatement(
		user: Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'emailVerifiedAt'>,
		now: number,
	) {
		return db
			.insert(users)
			.values({
				...user,
				isSuperadmin: sql`not exists (select 1 from ${users} where ${users.isSuperadmin} = 1)`,
				createdAt: now,
				updatedAt: now,
			})
			.returning()
	},

	insertSessionStatement(session: NewSession, userId: number | SQL<number>) {
		return db.insert(sessions).values({ ...session, userId, lastSeenAt: session.createdAt })
	},

	/** Inserts nothing if the token version changed since the account was read: a login must not outlive a password change. */
	openSessionStatement(session: NewSession, user: Pick<UserRow, 'id' | 'tokenVersion'>) {
		return insertSelect(
			db,
			sessions,
			{
				id: session.id,
				userId: sql`${users.id}`,
				userAgent: session.userAgent,
				ip: session.ip,
				byCode: session.byCode,
				createdAt: session.createdAt,
				lastSeenAt: session.createdAt,
				expiresAt: session.expiresAt,
				provedAt: session.provedAt,
				renewalId: session.renewalId,
			},
			sql`from ${users} where ${users.id} = ${user.id} and ${users.tokenVersion} = ${user.tokenVersion}`,
		).returning({ id: sessions.id })
	},

	/** Returns the new expiry of the session, or undefined unless `renewalId` is the current one. */
	async renewSession(id: string, renewalId: string, next: string, now: number): Promise<number | undefined> {
		const [row] = await db
			.update(sessions)
			.set({
				renewalId: next,
				formerRenewalId: renewalId,
				renewedAt: now,
				lastSeenAt: now,
				expiresAt: sql`min(${now + SESSION_IDLE_MS}, ${sessions.createdAt} + ${SESSION_LIFE_MS})`,
			})
			.where(and(eq(sessions.id, id), eq(sessions.renewalId, renewalId), gt(sessions.expiresAt, now)))
			.returning({ expiresAt: sessions.expiresAt })
		return row?.expiresAt
	},

	/** Returns the renewal that replaced this one, for a client that lost the response. */
	async findRenewalAfter(id: string, formerRenewalId: string, now: number) {
		const [row] = await db
			.select({ renewalId: sessions.renewalId, expiresAt: sessions.expiresAt })
			.from(sessions)
			.where(and(eq(sessions.id, id), isRetryOf(formerRenewalId, now), gt(sessions.expiresAt, now)))
		return row
	},

	/** Ends the session if this renewal id was replaced and its retry period is over. */
	async endReusedSession(id: string, renewalId: string, now: number): Promise<void> {
		await db
			.delete(sessions)
			.where(
				and(
					eq(sessions.id, id),
					ne(sessions.renewalId, renewalId),
					sql`not coalesce(${isRetryOf(renewalId, now)}, 0)`,
				),
			)
	},

	/** Records a fresh proof of identity. Returns false if the session has ended. */
	async proveSession(id: string, byCode: boolean, now: number): Promise<boolean> {
		const rows = await db
			.update(sessions)
			.set({ provedAt: now, byCode })
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

	/** Also raises the token version and ends every other session. Returns false if the account changed since it was read. */
	async changePassword(
		user: UserRow,
		passwordHash: string,
		keepSessionId: string,
		now: number,
	): Promise<boolean> {
		const { changed } = await batch(db, {
			changed: db
				.update(users)
				.set({ passwordHash, tokenVersion: user.tokenVersion + 1, updatedAt: now })
				.where(and(eq(users.id, user.id), eq(users.tokenVersion, user.tokenVersion)))
				.returning({ id: users.id }),
			eventRecorded: recordEventIfChangedStatement(
				db,
				now,
				passwordChanged(user.id, user.passwordHash === null ? 'set' : 'replaced'),
			),
			sessionsDeleted: db
				.delete(sessions)
				.where(and(eq(sessions.userId, user.id), ne(sessions.id, keepSessionId), sql`changes() > 0`)),
		})
		return changed.length === 1
	},

	async verifyEmail(userId: number, email: string, now: number): Promise<boolean> {
		const rows = await db
			.update(users)
			.set({ emailVerifiedAt: now, updatedAt: now })
			.where(and(eq(users.id, userId), eq(users.email, email), isNull(users.emailVerifiedAt)))
			.returning({ id: users.id })
		return rows.length === 1
	},

	/**
	 * Changes the address, or returns false if the account changed since it was read. Open invitations and codes of
	 * a verified former address are deleted. Those of an unverified one stay, since its owner may be somebody else.
	 */
	async changeEmail(user: UserRow, email: string, keepSessionId: string, now: number): Promise<boolean> {
		const unchanged = sql`exists (select 1 from users u where u.id = ${user.id} and u.email = ${user.email} and u.token_version = ${user.tokenVersion})`
		const wasVerified = user.emailVerifiedAt === null ? sql`false` : sql`true`
		const invitationStatements = [orgInvitations, communityInvitations].flatMap((invitations) => [
			db
				.delete(invitations)
				.where(
					and(eq(invitations.email, user.email), isNull(invitations.acceptedAt), unchanged, wasVerified),
				),
			db
				.update(invitations)
				.set({ email })
				.where(and(eq(invitations.email, user.email), isNotNull(invitations.acceptedAt), unchanged)),
		])
		const { changed } = await batch(db, {
			changed: db
				.update(users)
				.set({ updatedAt: now })
				.where(and(eq(users.id, user.id), unchanged))
				.returning({ id: users.id }),
			sessionsDeleted: db
				.delete(sessions)
				.where(and(eq(sessions.userId, user.id), ne(sessions.id, keepSessionId), unchanged)),
			addressCodesDeleted: db.delete(addressCodes).where(and(eq(addressCodes.userId, user.id), unchanged)),
			otpCodesDeleted: db.delete(otpCodes).where(and(eq(otpCodes.email, user.email), unchanged, wasVerified)),
			invitationsMoved: invitationStatements,
			eventRecorded:
				user.emailVerifiedAt === null
					? null
					: recordEventIfStatement(
							db,
							now,
							{
								type: 'account.email_changed',
								orgId: null,
								payload: { userId: user.id, formerEmail: user.email },
							},
							unchanged,
						),
			emailChanged: db
				.update(users)
				.set({ email, emailVerifiedAt: now, tokenVersion: user.tokenVersion + 1, updatedAt: now })
				.where(and(eq(users.id, user.id), unchanged)),
		})
		return changed.length === 1
	},

	async replacePasswordHash(user: UserRow, passwordHash: string): Promise<void> {
		await db
			.update(users)
			.set({ passwordHash })
			.where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? '')))
	},

	async pruneSessions(now: number): Promise<void> {
		await db.delete(sessions).where(lt(sessions.expiresAt, now))
	},
})

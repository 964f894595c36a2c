import { and, desc, eq, gt, lt, ne, type SQL, sql } from 'drizzle-orm'
import { sessions, users } from '#schema/tables/accounts/identity.ts'
import { DAY, MINUTE } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { UserRow } from './store.ts'

export type SessionRow = typeof sessions.$inferSelect

export type NewSession = Pick<
	SessionRow,
	| 'id'
	| 'userAgent'
	| 'ip'
	| 'country'
	| 'byCode'
	| 'createdAt'
	| 'expiresAt'
	| 'provedAt'
	| 'secondFactorAt'
	| 'renewalId'
>

/** The precision of "last seen". A coarse step keeps most requests from causing a write. */
export const SEEN_STEP_MS = 5 * MINUTE

/** After a mailed code, the session may for a while set a password without the old one; any later proof ends that. */
type SessionProof = { byCode: boolean; bySecondFactor: boolean }

/** A session expires this long after its last renewal. */
export const SESSION_IDLE_MS = 30 * DAY
/** A session expires this long after its start, however often it was renewed. */
const SESSION_LIFE_MS = 90 * DAY
/** How long a client can repeat a renewal whose response was lost. */
const RENEWAL_RETRY_MS = MINUTE

const isRetryOf = (renewalId: string, now: number) =>
	and(eq(sessions.formerRenewalId, renewalId), gt(sessions.renewedAt, now - RENEWAL_RETRY_MS))

export const sessionStore = (db: Db) => ({
	insertSessionStatement(session: NewSession, userId: number | SQL<number>) {
		return db.insert(sessions).values({ ...session, userId, lastSeenAt: session.createdAt })
	},

	/**
	 * Inserts nothing if the account changed since it was read: a login must not outlive a password change or a lock, nor
	 * get past a second factor that was just set up.
	 */
	openSessionStatement(session: NewSession, user: Pick<UserRow, 'id' | 'tokenVersion'>) {
		return insertSelect(
			db,
			sessions,
			{
				id: session.id,
				userId: sql`${users.id}`,
				userAgent: session.userAgent,
				ip: session.ip,
				country: session.country,
				byCode: session.byCode,
				createdAt: session.createdAt,
				lastSeenAt: session.createdAt,
				expiresAt: session.expiresAt,
				provedAt: session.provedAt,
				renewalId: session.renewalId,
				secondFactorAt: session.secondFactorAt,
			},
			sql`
				from ${users}
				where ${users.id} = ${user.id}
					and ${users.tokenVersion} = ${user.tokenVersion}
					and ${users.lockedAt} is null
					and ${session.secondFactorAt === null ? sql`${users.secondFactorAt} is null` : sql`true`}
			`,
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
	async proveSession(id: string, proof: SessionProof, now: number): Promise<boolean> {
		const rows = await db
			.update(sessions)
			.set({ provedAt: now, byCode: proof.byCode, ...(proof.bySecondFactor && { secondFactorAt: now }) })
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

	/** Returns the ids of the sessions that it ended. */
	async endOtherSessions(keepId: string, userId: number): Promise<string[]> {
		const rows = await db
			.delete(sessions)
			.where(and(eq(sessions.userId, userId), ne(sessions.id, keepId)))
			.returning({ id: sessions.id })
		return rows.map(({ id }) => id)
	},

	async pruneSessions(now: number): Promise<void> {
		await db.delete(sessions).where(lt(sessions.expiresAt, now))
	},
})

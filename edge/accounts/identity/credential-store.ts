import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import { addressCodes, orgInvitations, otpCodes, sessions, users } from '#schema/tables/accounts/identity.ts'
import { communityInvitations } from '#schema/tables/community/community.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import type { UserRow } from './store.ts'

export const passwordChangedEvent = (userId: number, change: 'set' | 'replaced' | 'removed') =>
	({ type: 'account.password_changed', orgId: null, payload: { userId, change } }) as const

/** Changes to the address and the password of an account. */
export const credentialStore = (db: Db) => ({
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
	async changeEmail(work: UnitOfWork, user: UserRow, email: string, keepSessionId: string): Promise<boolean> {
		const unchanged = sql`exists (
			select 1 from users u
			where u.id = ${user.id} and u.email = ${user.email} and u.token_version = ${user.tokenVersion}
		)`
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
				.set({ updatedAt: work.now })
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
							work,
							{
								type: 'account.email_changed',
								orgId: null,
								payload: { userId: user.id, formerEmail: user.email },
							},
							unchanged,
						),
			emailChanged: db
				.update(users)
				.set({ email, emailVerifiedAt: work.now, tokenVersion: user.tokenVersion + 1, updatedAt: work.now })
				.where(and(eq(users.id, user.id), unchanged)),
		})
		return changed.length === 1
	},

	/** Also raises the token version and ends every other session. Returns false if the account changed since it was read. */
	async changePassword(
		work: UnitOfWork,
		user: UserRow,
		passwordHash: string,
		keepSessionId: string,
	): Promise<boolean> {
		const { changed } = await batch(db, {
			changed: db
				.update(users)
				.set({ passwordHash, tokenVersion: user.tokenVersion + 1, updatedAt: work.now })
				.where(and(eq(users.id, user.id), eq(users.tokenVersion, user.tokenVersion)))
				.returning({ id: users.id }),
			eventRecorded: recordEventIfChangedStatement(
				work,
				passwordChangedEvent(user.id, user.passwordHash === null ? 'set' : 'replaced'),
			),
			sessionsDeleted: db
				.delete(sessions)
				.where(and(eq(sessions.userId, user.id), ne(sessions.id, keepSessionId), sql`changes() > 0`)),
		})
		return changed.length === 1
	},

	async replacePasswordHash(user: UserRow, passwordHash: string): Promise<void> {
		await db
			.update(users)
			.set({ passwordHash })
			.where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? '')))
	},
})

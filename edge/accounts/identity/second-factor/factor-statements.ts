import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { SecondFactorChange } from '#schema/contract/accounts/events.ts'
import { sessions, users } from '#schema/tables/accounts/identity.ts'
import { recoveryCodes } from '#schema/tables/accounts/second-factor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'

/** The user and the session in which they change their second factors. */
export type Owner = { userId: number; sessionId: string }

export const secondFactorChangedEvent = (userId: number, change: SecondFactorChange) =>
	({ type: 'account.second_factor_changed', orgId: null, payload: { userId, change } }) as const

export const passkeyRemovedEvent = (userId: number, passkeyId: string) =>
	({
		type: 'account.second_factor_changed',
		orgId: null,
		payload: { userId, change: 'passkey_removed', passkeyId },
	}) as const

/** SQL condition: the session is open. A concurrent request must not add a factor after its session has ended. */
export const isOpenSession = ({ userId, sessionId }: Owner): SQL =>
	sql`exists (select 1 from sessions s where s.id = ${sessionId} and s.user_id = ${userId})`

/** Inserts the recovery codes if the condition holds. */
const insertCodesStatement = (
	db: Db,
	userId: number,
	hashes: readonly string[],
	now: number,
	condition: SQL,
) =>
	insertSelect(
		db,
		recoveryCodes,
		{ userId, codeHash: sql`code.column1`, createdAt: now },
		sql`from (values ${sql.join(
			hashes.map((hash) => sql`(${hash})`),
			sql`, `,
		)}) code where ${condition}`,
	).returning({ codeHash: recoveryCodes.codeHash })

/**
 * For the batch of the statement that adds a factor, after it, if `added` holds. The first factor ends all other
 * sessions, because they signed in without it.
 */
export function addFactorStatements(
	db: Db,
	{ userId, sessionId }: Owner,
	hashes: readonly string[],
	now: number,
	added: SQL,
) {
	const isFirst = sql`
		${added} and exists (select 1 from users u where u.id = ${userId} and u.second_factor_at is null)
	`
	return {
		oldCodesDeleted: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), isFirst)),
		codesInserted: insertCodesStatement(db, userId, hashes, now, isFirst),
		othersEnded: db
			.delete(sessions)
			.where(and(eq(sessions.userId, userId), ne(sessions.id, sessionId), isFirst)),
		sessionProved: db
			.update(sessions)
			.set({ secondFactorAt: now })
			.where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), added)),
		factorStarted: db
			.update(users)
			.set({ secondFactorAt: now, updatedAt: now })
			.where(and(eq(users.id, userId), isNull(users.secondFactorAt), added)),
	}
}

/** SQL condition: the account has another factor, or needs none. */
export const mayRemoveFactor = (userId: number, otherFactor: SQL, requiredOfSuperadmins: boolean): SQL =>
	sql`(
		${otherFactor}
		or not exists (
			select 1 from users u
			where u.id = ${userId}
				and (
					${requiredOfSuperadmins ? sql`u.is_superadmin = 1` : sql`false`}
					or exists (
						select 1 from org_members m
						join orgs o on o.id = m.org_id
						where m.user_id = u.id and o.requires_second_factor = 1
					)
				)
		)
	)`

/** For the batch of the statement that removes a factor, after it. Cleans up after the last factor. */
export function removeFactorStatements(db: Db, userId: number, now: number) {
	const hasNone = sql`
		not exists (select 1 from totp_secrets t where t.user_id = ${userId} and t.confirmed_at is not null)
		and not exists (select 1 from passkeys p where p.user_id = ${userId})
	`
	return {
		codesDeleted: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), hasNone)),
		factorEnded: db
			.update(users)
			.set({ secondFactorAt: null, updatedAt: now })
			.where(and(eq(users.id, userId), hasNone)),
	}
}

/** Replaces the codes of an account that has a second factor. */
export function replaceCodesStatements(db: Db, userId: number, hashes: readonly string[], now: number) {
	const hasFactor = sql`
		exists (select 1 from users u where u.id = ${userId} and u.second_factor_at is not null)
	`
	return {
		oldCodesDeleted: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), hasFactor)),
		codesInserted: insertCodesStatement(db, userId, hashes, now, hasFactor),
	}
}

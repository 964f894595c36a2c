import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { MAX_PASSKEYS } from '#schema/contract/accounts/sign-in/passkeys.ts'
import { passkeys, usedChallenges } from '#schema/tables/accounts/second-factor.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import {
	addFactorStatements,
	isOpenSession,
	mayRemoveFactor,
	type Owner,
	passkeyRemovedEvent,
	removeFactorStatements,
	secondFactorChangedEvent,
} from '../second-factor/factor-statements.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

export const passkeyStore = (db: Db) => ({
	list(userId: number): Promise<PasskeyRow[]> {
		return db
			.select()
			.from(passkeys)
			.where(eq(passkeys.userId, userId))
			.orderBy(desc(passkeys.createdAt), desc(passkeys.id))
			.limit(MAX_PASSKEYS)
	},

	async find(id: string, userId: number): Promise<PasskeyRow | undefined> {
		const [row] = await db
			.select()
			.from(passkeys)
			.where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
		return row
	},

	async findByCredential(credentialId: string): Promise<PasskeyRow | undefined> {
		const [row] = await db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId))
		return row
	},

	/** Returns true for exactly one use of a challenge. */
	async useChallenge(challengeHash: string, expiresAt: number): Promise<boolean> {
		const rows = await db
			.insert(usedChallenges)
			.values({ challengeHash, expiresAt })
			.onConflictDoNothing()
			.returning({ challengeHash: usedChallenges.challengeHash })
		return rows.length === 1
	},

	/** Adds a passkey unless the address is unverified, the account has too many, or the session has ended. */
	async add(work: UnitOfWork, row: PasskeyRow, sessionId: string, hashes: readonly string[]) {
		const { userId } = row
		const owner: Owner = { userId, sessionId }
		const isAdded = sql`exists (select 1 from passkeys p where p.id = ${row.id})`
		const { added, codesInserted } = await batch(db, {
			added: insertSelect(
				db,
				passkeys,
				{ ...row, userId: sql`u.id` },
				sql`from users u where u.id = ${userId} and u.email_verified_at is not null and ${isOpenSession(owner)}
					and (select count(*) from passkeys p where p.user_id = u.id) < ${MAX_PASSKEYS}`,
			).returning({ id: passkeys.id }),
			eventRecorded: recordEventIfChangedStatement(work, secondFactorChangedEvent(userId, 'passkey_added')),
			...addFactorStatements(db, owner, hashes, work.now, isAdded),
		})
		return { isAdded: added.length === 1, hasNewCodes: codesInserted.length > 0 }
	},

	/**
	 * Records the use of a passkey. Returns false if its counter did not increase: the authenticator may be cloned.
	 * Authenticators without a counter send 0.
	 */
	async recordUse(id: string, counter: number, isBackedUp: boolean, now: number): Promise<boolean> {
		const rows = await db
			.update(passkeys)
			.set({ counter, backedUp: isBackedUp, lastUsedAt: now })
			.where(
				and(
					eq(passkeys.id, id),
					sql`(${passkeys.counter} < ${counter} or (${passkeys.counter} = 0 and ${counter} = 0))`,
				),
			)
			.returning({ id: passkeys.id })
		return rows.length === 1
	},

	async rename(id: string, userId: number, name: string): Promise<PasskeyRow | undefined> {
		const [row] = await db
			.update(passkeys)
			.set({ name })
			.where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
			.returning()
		return row
	},

	async remove(
		work: UnitOfWork,
		id: string,
		userId: number,
		requiredOfSuperadmins: boolean,
	): Promise<boolean> {
		const hasOther = sql`(
			exists (select 1 from totp_secrets t where t.user_id = ${userId} and t.confirmed_at is not null)
			or exists (select 1 from passkeys p where p.user_id = ${userId} and p.id <> ${id})
		)`
		const { removed } = await batch(db, {
			removed: db
				.delete(passkeys)
				.where(
					and(
						eq(passkeys.id, id),
						eq(passkeys.userId, userId),
						mayRemoveFactor(userId, hasOther, requiredOfSuperadmins),
					),
				)
				.returning({ id: passkeys.id }),
			eventRecorded: recordEventIfChangedStatement(work, passkeyRemovedEvent(userId, id)),
			...removeFactorStatements(db, userId, work.now),
		})
		return removed.length === 1
	},

	async pruneChallenges(now: number): Promise<void> {
		await db.delete(usedChallenges).where(lt(usedChallenges.expiresAt, now))
	},
})

import { and, eq, gt, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import { sessions, users } from '#schema/tables/accounts/identity.ts'
import { passkeys, recoveryCodes, totpSecrets } from '#schema/tables/accounts/second-factor.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { MINUTE } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import {
	addFactorStatements,
	isOpenSession,
	mayRemoveFactor,
	type Owner,
	removeFactorStatements,
	replaceCodesStatements,
	secondFactorChangedEvent,
} from './factor-statements.ts'

/** How long a secret waits for its first code. */
export const CONFIRM_MS = 15 * MINUTE

type NewSecret = { id: string; userId: number; secret: string; createdAt: number }
/** A code that is right: the row of its secret and its time step. */
type RightCode = { id: string; step: number }

const isWaiting = isNull(totpSecrets.confirmedAt)
const isConfirmed = isNotNull(totpSecrets.confirmedAt)

export const secondFactorStore = (db: Db) => ({
	async findState(userId: number) {
		const { user, totp, keys, codes } = await batch(db, {
			user: db.select({ since: users.secondFactorAt }).from(users).where(eq(users.id, userId)),
			totp: db
				.select({ id: totpSecrets.id })
				.from(totpSecrets)
				.where(and(eq(totpSecrets.userId, userId), isConfirmed)),
			keys: db.select({ count: sql<number>`count(*)` }).from(passkeys).where(eq(passkeys.userId, userId)),
			codes: db
				.select({ count: sql<number>`count(*)` })
				.from(recoveryCodes)
				.where(eq(recoveryCodes.userId, userId)),
		})
		return {
			since: user[0]?.since ?? null,
			totp: totp.length > 0,
			passkeys: keys[0]?.count ?? 0,
			recoveryCodesLeft: codes[0]?.count ?? 0,
		}
	},

	/** Replaces a secret that waits. Returns false unless the address of the account is verified. */
	async replaceWaiting({ id, userId, secret, createdAt }: NewSecret): Promise<boolean> {
		const { inserted } = await batch(db, {
			formerDeleted: db.delete(totpSecrets).where(and(eq(totpSecrets.userId, userId), isWaiting)),
			inserted: insertSelect(
				db,
				totpSecrets,
				{ id, userId: sql`u.id`, secret, createdAt },
				sql`from users u where u.id = ${userId} and u.email_verified_at is not null`,
			).returning({ id: totpSecrets.id }),
		})
		return inserted.length === 1
	},

	async findWaiting(userId: number, now: number) {
		const [row] = await db
			.select()
			.from(totpSecrets)
			.where(and(eq(totpSecrets.userId, userId), isWaiting, gt(totpSecrets.createdAt, now - CONFIRM_MS)))
		return row
	},

	async findConfirmed(userId: number) {
		const [row] = await db
			.select()
			.from(totpSecrets)
			.where(and(eq(totpSecrets.userId, userId), isConfirmed))
		return row
	},

	/** Returns true for exactly one use of a code, and never for a code that is older than an accepted one. */
	async useStep({ id, step }: RightCode): Promise<boolean> {
		const rows = await db
			.update(totpSecrets)
			.set({ lastStep: step })
			.where(and(eq(totpSecrets.id, id), lt(totpSecrets.lastStep, step)))
			.returning({ id: totpSecrets.id })
		return rows.length === 1
	},

	/** Sets up a waiting secret in place of the former one. */
	async confirm(work: UnitOfWork, owner: Owner, { id, step }: RightCode, hashes: readonly string[]) {
		const { userId } = owner
		const waits = sql`
			${isOpenSession(owner)}
			and exists (
				select 1 from totp_secrets t where t.id = ${id} and t.user_id = ${userId} and t.confirmed_at is null
			)
		`
		const added = sql`exists (
			select 1 from totp_secrets t
			where t.id = ${id} and t.user_id = ${userId} and t.confirmed_at = ${work.now}
		)`
		const { confirmed, codesInserted } = await batch(db, {
			formerDeleted: db.delete(totpSecrets).where(and(eq(totpSecrets.userId, userId), isConfirmed, waits)),
			confirmed: db
				.update(totpSecrets)
				.set({ confirmedAt: work.now, lastStep: step })
				.where(and(eq(totpSecrets.id, id), isWaiting, isOpenSession(owner)))
				.returning({ id: totpSecrets.id }),
			eventRecorded: recordEventIfChangedStatement(work, secondFactorChangedEvent(userId, 'totp_added')),
			...addFactorStatements(db, owner, hashes, work.now, added),
		})
		return { isConfirmed: confirmed.length === 1, hasNewCodes: codesInserted.length > 0 }
	},

	async remove(work: UnitOfWork, userId: number, requiredOfSuperadmins: boolean): Promise<boolean> {
		const hasPasskey = sql`exists (select 1 from passkeys p where p.user_id = ${userId})`
		const { removed } = await batch(db, {
			removed: db
				.delete(totpSecrets)
				.where(
					and(
						eq(totpSecrets.userId, userId),
						isConfirmed,
						mayRemoveFactor(userId, hasPasskey, requiredOfSuperadmins),
					),
				)
				.returning({ id: totpSecrets.id }),
			eventRecorded: recordEventIfChangedStatement(work, secondFactorChangedEvent(userId, 'totp_removed')),
			...removeFactorStatements(db, userId, work.now),
		})
		return removed.length === 1
	},

	/** Returns false if the account has no second factor. */
	async replaceCodes(work: UnitOfWork, userId: number, hashes: readonly string[]): Promise<boolean> {
		const { codesInserted } = await batch(db, {
			...replaceCodesStatements(db, userId, hashes, work.now),
			eventRecorded: recordEventIfChangedStatement(
				work,
				secondFactorChangedEvent(userId, 'recovery_codes_replaced'),
			),
		})
		return codesInserted.length > 0
	},

	/** Returns true for exactly one use of a code. */
	async useCode(work: UnitOfWork, userId: number, codeHash: string): Promise<boolean> {
		const { used } = await batch(db, {
			used: db
				.delete(recoveryCodes)
				.where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash)))
				.returning({ codeHash: recoveryCodes.codeHash }),
			eventRecorded: recordEventIfChangedStatement(
				work,
				secondFactorChangedEvent(userId, 'recovery_code_used'),
			),
		})
		return used.length === 1
	},

	/** Removes every factor of a user and ends their sessions and tokens. Returns false if they have no factor. */
	async reset(work: UnitOfWork, userId: number): Promise<boolean> {
		const isReset = sql`exists (select 1 from users u where u.id = ${userId} and u.second_factor_at is null)`
		const { reset } = await batch(db, {
			reset: db
				.update(users)
				.set({ secondFactorAt: null, tokenVersion: sql`${users.tokenVersion} + 1`, updatedAt: work.now })
				.where(and(eq(users.id, userId), isNotNull(users.secondFactorAt)))
				.returning({ id: users.id }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'user.second_factor_reset',
				orgId: null,
				target: { kind: 'user', id: userId, userId },
			}),
			eventRecorded: recordEventIfStatement(
				work,
				secondFactorChangedEvent(userId, 'reset'),
				sql`changes() > 0`,
			),
			sessionsEnded: db.delete(sessions).where(and(eq(sessions.userId, userId), sql`changes() > 0`)),
			secretsDeleted: db.delete(totpSecrets).where(and(eq(totpSecrets.userId, userId), isReset)),
			passkeysDeleted: db.delete(passkeys).where(and(eq(passkeys.userId, userId), isReset)),
			codesDeleted: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), isReset)),
		})
		return reset.length === 1
	},

	async prune(now: number): Promise<void> {
		await db.delete(totpSecrets).where(and(isWaiting, lt(totpSecrets.createdAt, now - CONFIRM_MS)))
	},
})

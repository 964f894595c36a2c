import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { idempotencyKeys } from '#schema/tables/platform.ts'
import type { Db } from './database.ts'

type Claim = { id: string; requestHash: string; now: number; lockedUntil: number; expiresAt: number }

/** SQL condition: the claim still belongs to this request; its lock has not expired and been taken over. */
const isOpen = ({ id, lockedUntil }: Claim) =>
	and(
		eq(idempotencyKeys.id, id),
		eq(idempotencyKeys.lockedUntil, lockedUntil),
		isNull(idempotencyKeys.status),
	)

export const idempotencyStore = (db: Db) => ({
	/** Claims a key in one statement if it is new or expired, or its first request died. */
	async claim({ id, requestHash, now, lockedUntil, expiresAt }: Claim): Promise<boolean> {
		const fresh = { requestHash, status: null, answer: null, lockedUntil, expiresAt }
		const rows = await db
			.insert(idempotencyKeys)
			.values({ id, ...fresh })
			.onConflictDoUpdate({
				target: idempotencyKeys.id,
				set: fresh,
				setWhere: sql`${lt(idempotencyKeys.expiresAt, now)} or ${and(
					isNull(idempotencyKeys.status),
					lt(idempotencyKeys.lockedUntil, now),
					eq(idempotencyKeys.requestHash, requestHash),
				)}`,
			})
			.returning({ id: idempotencyKeys.id })
		return rows.length === 1
	},
	async find(id: string) {
		const [row] = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.id, id))
		return row
	},
	async storeResponse(claim: Claim, status: number, answer: string): Promise<void> {
		await db.update(idempotencyKeys).set({ status, answer }).where(isOpen(claim))
	},
	async release(claim: Claim): Promise<void> {
		await db.delete(idempotencyKeys).where(isOpen(claim))
	},
	async prune(now: number): Promise<void> {
		await db.delete(idempotencyKeys).where(lt(idempotencyKeys.expiresAt, now))
	},
})

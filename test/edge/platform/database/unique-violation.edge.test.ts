import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { users } from '#schema/tables/accounts/identity.ts'
import { d1Database } from '../../../../edge/platform/database/database.ts'
import { isUniqueViolation } from '../../../../edge/platform/database/unique-violation.ts'
import { emptyDatabase } from '../../../support/edge/empty-runtime.ts'

// test/support/libsql/database.node.test.ts covers libSQL, embedded and over HTTP.
const db = d1Database(env.DB, () => {})
const person = (email: string) => ({ email, name: 'Ada', createdAt: 0, updatedAt: 0 })

beforeEach(async () => {
	await emptyDatabase()
	await db.insert(users).values(person('taken@example.org'))
})

test('recognizes a duplicate key among database errors, alone and in a batch', async () => {
	const again = db.insert(users).values(person('taken@example.org'))
	await expect(again).rejects.toSatisfy(isUniqueViolation)
	await expect(db.batch([again])).rejects.toSatisfy(isUniqueViolation)
	await expect(db.insert(users).values({ ...person('id@example.org'), id: 1 })).rejects.toSatisfy(
		isUniqueViolation,
	)
	await expect(db.get(sql`select * from nowhere`)).rejects.not.toSatisfy(isUniqueViolation)
})

test('a text that a caller sent is not mistaken for a duplicate key', async () => {
	const misleading = {
		...person('Failed: UNIQUE constraint failed: users.email'),
		name: null as unknown as string,
	}
	await expect(db.insert(users).values(misleading)).rejects.not.toSatisfy(isUniqueViolation)
	expect(isUniqueViolation('UNIQUE constraint failed: users.email')).toBe(false)
})

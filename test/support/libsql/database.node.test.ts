import { createClient } from '@libsql/client/web'
import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orgs, outbox, users } from '#schema/tables/index.ts'
import { type Db, libsqlDatabase } from '../../../edge/platform/database/database.ts'
import { isUniqueViolation } from '../../../edge/platform/database/unique-violation.ts'
import { migrateLibsql } from '../../../scripts/migrate/main.ts'
import { openLibsql } from './open-database.ts'
import { startLibsqlServer } from './server.ts'

const now = 1_795_000_000_000
const person = (email: string) => ({ email, name: 'Ada', createdAt: now, updatedAt: now })

const drivers = {
	'the embedded engine': openLibsql,
	async 'a server over HTTP'() {
		const server = await startLibsqlServer()
		await migrateLibsql({ url: server.url })
		const statements: string[] = []
		const db = libsqlDatabase(createClient({ url: server.url }), (text) => statements.push(text))
		return { db, statements, close: () => server[Symbol.asyncDispose]() }
	},
}

describe.each(Object.entries(drivers))('with %s', (_, open) => {
	let opened: Awaited<ReturnType<typeof open>>
	let db: Db
	beforeAll(async () => {
		opened = await open()
		db = opened.db
	})
	afterAll(() => opened.close())

	test('a libSQL database inserts, updates and selects rows with the types of the tables', async () => {
		const [ada] = await db.insert(users).values(person('ada@example.org')).returning()
		expect(ada).toMatchObject({
			email: 'ada@example.org',
			passwordHash: null,
			isSuperadmin: false,
			tokenVersion: 1,
			createdAt: now,
		})
		const changed = await db
			.update(users)
			.set({ isSuperadmin: true, updatedAt: now + 1 })
			.where(eq(users.email, 'ada@example.org'))
			.returning({ id: users.id, isSuperadmin: users.isSuperadmin })
		expect(changed).toEqual([{ id: ada?.id, isSuperadmin: true }])
		expect(await db.select().from(users).where(eq(users.email, 'ada@example.org'))).toEqual([
			{ ...ada, isSuperadmin: true, updatedAt: now + 1 },
		])
		expect(await db.get(sql`select count(*) as count from users`)).toMatchObject({ count: 1 })
	})

	test('a libSQL database stores bound numbers as integers in integer columns', async () => {
		await db.insert(users).values(person('int@example.org'))
		const [row] = await db
			.select({ type: sql<string>`typeof(${users.createdAt})`, next: sql<number>`${users.createdAt} + 1` })
			.from(users)
			.where(eq(users.email, 'int@example.org'))
		expect(row).toEqual({ type: 'integer', next: now + 1 })
	})

	test('a libSQL batch returns results in order, and commits all of it or nothing', async () => {
		const [inserted, found] = await db.batch([
			db.insert(users).values(person('bo@example.org')).returning({ email: users.email }),
			db.select({ name: users.name }).from(users).where(eq(users.email, 'bo@example.org')),
		])
		expect(inserted).toEqual([{ email: 'bo@example.org' }])
		expect(found).toEqual([{ name: 'Ada' }])

		const half = db.batch([
			db.insert(users).values(person('half@example.org')),
			db.insert(users).values(person('bo@example.org')),
		])
		await expect(half).rejects.toSatisfy(isUniqueViolation)
		expect(await db.select().from(users).where(eq(users.email, 'half@example.org'))).toEqual([])
	})

	test('a libSQL batch writes rows that depend on a conditional update exactly once', async () => {
		await db
			.insert(orgs)
			.values({ id: 'o1', slug: 'o1', name: 'One', tier: 'free', createdAt: now, updatedAt: now })
		const upgrade = (eventId: string) =>
			db.batch([
				db
					.update(orgs)
					.set({ tier: 'pro' })
					.where(and(eq(orgs.id, 'o1'), eq(orgs.tier, 'free')))
					.returning({ id: orgs.id }),
				db
					.insert(outbox)
					.select(
						sql`select ${eventId}, 'org.upgraded', 'o1', '{}', ${now}, ${now}, 0, null, 2, 'o1', null, null where changes() = 1`,
					),
			])
		const runs = await Promise.all(['e1', 'e2', 'e3', 'e4'].map(upgrade))
		expect(runs.filter(([changed]) => changed.length === 1)).toHaveLength(1)
		expect(await db.select().from(outbox).where(eq(outbox.orgId, 'o1'))).toHaveLength(1)
	})

	test('libSQL batches that read before they write are serialized', async () => {
		await db.insert(users).values(person('count@example.org'))
		const increment = () =>
			db.batch([
				db.select({ id: users.id }).from(users),
				db
					.update(users)
					.set({ tokenVersion: sql`${users.tokenVersion} + 1` })
					.where(eq(users.email, 'count@example.org')),
			])
		await Promise.all(Array.from({ length: 40 }, increment))
		const [row] = await db.select().from(users).where(eq(users.email, 'count@example.org'))
		expect(row?.tokenVersion).toBe(41)
	})

	test('a libSQL database distinguishes unique violations from other errors, alone and in a batch', async () => {
		await db.insert(users).values(person('taken@example.org'))
		const duplicate = db.insert(users).values(person('taken@example.org'))
		await expect(duplicate).rejects.toSatisfy(isUniqueViolation)
		await expect(db.batch([duplicate])).rejects.toSatisfy(isUniqueViolation)
		await expect(db.insert(users).values({ ...person('id@example.org'), id: 1 })).rejects.toSatisfy(
			isUniqueViolation,
		)

		const misleading = { ...person('UNIQUE constraint failed: users.email'), name: null as unknown as string }
		await expect(db.insert(users).values(misleading)).rejects.not.toSatisfy(isUniqueViolation)
		await expect(db.get(sql`select * from nowhere`)).rejects.not.toSatisfy(isUniqueViolation)
	})

	test('each libSQL statement is counted once, even in batches', async () => {
		const before = opened.statements.length
		const read = () => db.select().from(users)
		await read()
		await db.batch([read(), read()])
		expect(opened.statements.length - before).toBe(3)
	})
})

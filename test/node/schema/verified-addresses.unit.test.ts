import Database from 'libsql'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../scripts/migrations.ts'

/** Rows as they were before addresses were verified: nobody can say any more who set a password. */
test('the migration takes an address as verified only of accounts that signed up with a code', async () => {
	const migrations = await readMigrations()
	const from = migrations.findIndex(({ statements }) =>
		statements.some((s) => s.includes('email_verified_at')),
	)
	const db = new Database(':memory:')
	const run = (part: typeof migrations) => {
		for (const statement of part.flatMap(({ statements }) => statements)) db.exec(statement)
	}
	run(migrations.slice(0, from))
	const insertUser = (email: string, hash: string | null, at: number) =>
		Number(
			db
				.prepare(
					'insert into users (email, name, password_hash, created_at, updated_at) values (?, ?, ?, ?, ?)',
				)
				.run(email, email, hash, at, at).lastInsertRowid,
		)
	const founded = (userId: number, at: number) =>
		db.prepare("insert into org_members values (?, ?, 'owner', ?)").run(`org_${userId}`, userId, at)
	const signedInByCode = (userId: number) =>
		db
			.prepare(
				"insert into sessions (id, user_id, user_agent, ip, by_code, created_at, last_seen_at, expires_at) values (?, ?, '', '', 1, 9, 9, 9)",
			)
			.run(`ses_${userId}`, userId)

	founded(insertUser('by-password', 'hash', 1), 1)
	signedInByCode(insertUser('by-password-then-by-code', 'hash', 2))
	founded(insertUser('by-code', null, 3), 3)
	founded(insertUser('added-by-a-community-then-founder', null, 4), 44)
	signedInByCode(insertUser('added-by-a-community-then-by-code', null, 5))
	insertUser('added-by-a-community', null, 6)

	run(migrations.slice(from))
	expect(db.prepare('select email, email_verified_at as at from users order by id').all()).toEqual([
		{ email: 'by-password', at: null },
		{ email: 'by-password-then-by-code', at: null },
		{ email: 'by-code', at: 3 },
		{ email: 'added-by-a-community-then-founder', at: null },
		{ email: 'added-by-a-community-then-by-code', at: 5 },
		{ email: 'added-by-a-community', at: null },
	])
	db.close()
})

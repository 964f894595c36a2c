import { readMigrations } from '../../lib/migrations.ts'
import type { Database } from '../lib/worker-runtime.ts'

const ROWS_AT_ONCE = 50_000

type Table = { name: string; share: number; columns: string; values: (rows: number) => string }

/** A community with members, posts and comments, and mails. The counters match the rows that they count. */
const tables: Table[] = [
	{
		...{ name: 'users', share: 0.1, columns: 'email, name, created_at, updated_at' },
		values: () => "'member' || i || '@example.org', 'Member ' || i, i, i",
	},
	{
		name: 'posts',
		share: 0.3,
		columns: 'community_id, space_id, body, comments_count, created_at, updated_at',
		// Comments go to the posts in turns, four for three posts.
		values: (rows) => `1, 1, hex(randomblob(150)), case when i <= ${rows / 3} then 2 else 1 end, i, i`,
	},
	{
		...{ name: 'post_comments', share: 0.4, columns: 'community_id, post_id, body, created_at, updated_at' },
		values: (rows) => `1, (i - 1) % ${(rows * 3) / 4} + 1, hex(randomblob(60)), i, i`,
	},
	{
		...{ name: 'mails', share: 0.2, columns: 'id, claimed_until, created_at' },
		values: () => "'mail ' || i || hex(randomblob(8)), i, i",
	},
]

/** Records that the database has all migrations, as `npm start` does. */
export async function recordMigrations(database: Database): Promise<void> {
	await database
		.prepare('create table d1_migrations (id integer primary key autoincrement, name text unique)')
		.run()
	for (const { name } of await readMigrations())
		await database.prepare('insert into d1_migrations (name) values (?)').bind(name).run()
}

/** Fills several tables with so many rows in total, a multiple of 30. */
export async function fill(database: Database, total: number): Promise<void> {
	for (const { name, share, columns, values } of tables) {
		const rows = Math.round(total * share)
		const isPosts = name === 'posts'
		for (let from = 1; from <= rows; from += ROWS_AT_ONCE)
			await database
				.prepare(
					`insert into ${name} (${isPosts ? 'rowid, ' : ''}${columns}) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${Math.min(rows, from + ROWS_AT_ONCE - 1)}) select ${isPosts ? 'i, ' : ''}${values(rows)} from n`,
				)
				.run()
	}
}

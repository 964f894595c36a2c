import { type SQL, sql } from 'drizzle-orm'
import { counterRepairs, events, postComments, posts, spaceTopics } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'

export type Counter = (typeof counterRepairs.$inferSelect)['counter']

/**
 * Each counter with how many rows one run looks at, and of those rows that `seen` holds for, aliased x, what the counter
 * must be.
 */
const counters = {
	comments: {
		table: posts,
		key: 'commentsCount',
		rows: 1_000,
		right: (seen: SQL) =>
			sql`select x.rowid as id, (select count(*) from post_comments c where c.post_id = x.id and c.deleted_at is null) as n from posts x where ${seen} and x.deleted_at is null`,
	},
	replies: {
		table: postComments,
		key: 'repliesCount',
		rows: 1_000,
		right: (seen: SQL) =>
			sql`select x.rowid as id, (select count(*) from post_comments c where c.parent_id = x.id and c.deleted_at is null) as n from post_comments x where ${seen} and x.deleted_at is null`,
	},
	topics: {
		table: spaceTopics,
		key: 'postsCount',
		// Their spaces, few as a rule, may have very many posts: they are walked through once for all of them.
		rows: 20,
		right: (seen: SQL) =>
			sql`select x.rowid as id, coalesce(carried.n, 0) as n from space_topics x left join (
				select p.space_id, w.value as tag_id, count(*) as n from posts p cross join json_each(p.topics) w
				where p.space_id in (select x.space_id from space_topics x where ${seen}) and p.deleted_at is null
				group by p.space_id, w.value
			) carried on carried.space_id = x.space_id and carried.tag_id = x.tag_id where ${seen}`,
	},
	going: {
		table: events,
		key: 'goingCount',
		rows: 200,
		right: (seen: SQL) =>
			sql`select x.rowid as id, (select count(*) from event_rsvps g where g.event_id = x.id and g.status = 'going') as n from events x where ${seen}`,
	},
} as const

export const allCounters = Object.keys(counters) as Counter[]

export const counterStore = (db: Db) => ({
	/** Up to which row the next run goes; null at the end of the table. */
	async findEnd(counter: Counter): Promise<number | null> {
		const { table, rows } = counters[counter]
		const [row] = await db.all<{ last: number | null }>(
			sql`select max(id) as last from (select rowid as id from ${table} where rowid > ${lastOf(counter)} order by rowid limit ${rows})`,
		)
		return row?.last ?? null
	},

	/** Counts rows after the last run's, up to `end`, in the statement that puts them right. How many were wrong. */
	async repair(counter: Counter, end: number): Promise<number> {
		const { table, key, right } = counters[counter]
		const column = (table as unknown as Record<string, SQL>)[key]
		const seen = sql`x.rowid > ${lastOf(counter)} and x.rowid <= ${end}`
		const [wrong] = await db.batch([
			db
				.update(table)
				.set({ [key]: sql`truth.n` })
				.from(sql`(${right(seen)}) as truth`)
				.where(sql`${table}.rowid = truth.id and ${column} <> truth.n`)
				.returning({ one: sql<number>`1` }),
			this.moveTo(counter, end),
		])
		return wrong.length
	},

	/** From the beginning again. */
	async startOver(counter: Counter): Promise<void> {
		await this.moveTo(counter, 0)
	},

	moveTo(counter: Counter, lastId: number) {
		return db
			.insert(counterRepairs)
			.values({ counter, lastId })
			.onConflictDoUpdate({ target: counterRepairs.counter, set: { lastId } })
	},
})

const lastOf = (counter: Counter) =>
	sql`coalesce((select r.last_id from counter_repairs r where r.counter = ${counter}), 0)`

import { type SQL, sql } from 'drizzle-orm'
import { counterRepairs, events, postComments, posts, spaceTopics } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'

export type Counter = (typeof counterRepairs.$inferSelect)['counter']

/** Each counter with what it counts, and how many rows one run looks at. */
const counters = {
	comments: {
		table: posts,
		key: 'commentsCount',
		rows: 1_000,
		truth: sql`(select count(*) from post_comments x where x.post_id = posts.id and x.deleted_at is null)`,
		of: sql`deleted_at is null`,
	},
	replies: {
		table: postComments,
		key: 'repliesCount',
		rows: 1_000,
		truth: sql`(select count(*) from post_comments y where y.parent_id = post_comments.id and y.deleted_at is null)`,
		of: sql`deleted_at is null`,
	},
	topics: {
		table: spaceTopics,
		key: 'postsCount',
		// A topic may have very many posts.
		rows: 20,
		truth: sql`(select count(*) from post_tags pt cross join posts p on p.id = pt.post_id where pt.tag_id = space_topics.tag_id and p.space_id = space_topics.space_id and p.deleted_at is null)`,
		of: sql`true`,
	},
	going: {
		table: events,
		key: 'goingCount',
		rows: 200,
		truth: sql`(select count(*) from event_rsvps g where g.event_id = events.id and g.status = 'going')`,
		of: sql`true`,
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
		const { table, key, truth, of } = counters[counter]
		const column = (table as unknown as Record<string, SQL>)[key]
		const [wrong] = await db.batch([
			db
				.update(table)
				.set({ [key]: truth })
				.where(sql`rowid > ${lastOf(counter)} and rowid <= ${end} and ${of} and ${column} <> ${truth}`)
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

import { type SQL, sql } from 'drizzle-orm'
import type { RsvpStatus } from '#schema/contract/community/member/events.ts'
import { spaces } from '#schema/tables/community/community.ts'
import { counterRepairs, events, postComments, posts, spaceTopics } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { isShown } from '../comments/columns.ts'
import { type TargetType, targetKinds } from '../reactions/counts.ts'

export type Counter = (typeof counterRepairs.$inferSelect)['counter']

/** Compares JSON counts regardless of the order of their keys. */
const sortKeys = (counts: SQL) =>
	sql`(
		select json_group_object(key, value)
		from (select j.key, j.value from json_each(${counts}) j order by j.key)
	)`

const reactionCounter = ({ table, reference }: (typeof targetKinds)[TargetType]) => ({
	table,
	key: 'reactions' as const,
	// A small limit, because each run reads all reactions to these rows.
	rows: 200,
	expected: (inRange: SQL) =>
		sql`
			select x.rowid as id, (
				select json_group_object(emoji, count)
				from (
					select r.emoji, count(*) as count from post_reactions r
					where ${reference} = x.id
					group by r.emoji
					order by r.emoji
				)
			) as n
			from ${table} x
			where ${inRange}
		`,
})

const rsvpCounter = <Key extends 'goingCount' | 'waitlistedCount'>(key: Key, status: RsvpStatus) => ({
	table: events,
	key,
	rows: 200,
	expected: (inRange: SQL) =>
		sql`
			select x.rowid as id,
				(select count(*) from event_rsvps g where g.event_id = x.id and g.status = ${status}) as n
			from events x
			where ${inRange}
		`,
})

/**
 * All counters. `rows` limits the rows per run. `expected` selects the correct values of the rows `x` that match
 * `inRange`.
 */
const counters = {
	comments: {
		table: posts,
		key: 'commentsCount',
		rows: 1_000,
		// Includes hidden posts: when restored, they show their counter again.
		expected: (inRange: SQL) =>
			sql`
				select x.rowid as id,
					(select count(*) from post_comments c where c.post_id = x.id and c.deleted_at is null) as n
				from posts x
				where ${inRange} and (x.deleted_at is null or x.hidden_at is not null)
			`,
	},
	replies: {
		table: postComments,
		key: 'repliesCount',
		rows: 1_000,
		// Includes removed comments with replies: they are shown as placeholders.
		expected: (inRange: SQL) =>
			sql`
				select x.rowid as id,
					(select count(*) from post_comments c where c.parent_id = x.id and c.deleted_at is null) as n
				from post_comments x
				where ${inRange} and ${isShown(sql`x`)}
			`,
	},
	topics: {
		table: spaceTopics,
		key: 'postsCount',
		// A small limit, because each run reads all posts of the spaces of these rows.
		rows: 20,
		expected: (inRange: SQL) =>
			sql`select x.rowid as id, coalesce(carried.n, 0) as n from space_topics x left join (
				select p.space_id, w.value as tag_id, count(*) as n from posts p cross join json_each(p.topics) w
				where p.space_id in (select x.space_id from space_topics x where ${inRange}) and p.deleted_at is null
				group by p.space_id, w.value
			) carried on carried.space_id = x.space_id and carried.tag_id = x.tag_id where ${inRange}`,
	},
	posts: {
		table: spaces,
		key: 'postsCount',
		// A small limit, because each run reads the index entries of all posts in these spaces.
		rows: 20,
		expected: (inRange: SQL) =>
			sql`
				select x.rowid as id,
					(select count(*) from posts p where p.space_id = x.id and p.deleted_at is null) as n
				from spaces x
				where ${inRange}
			`,
	},
	postReactions: reactionCounter(targetKinds.Post),
	commentReactions: reactionCounter(targetKinds.Comment),
	imageReactions: reactionCounter(targetKinds.Image),
	going: rsvpCounter('goingCount', 'going'),
	waitlisted: rsvpCounter('waitlistedCount', 'waitlisted'),
} as const

export const allCounters = Object.keys(counters) as Counter[]

export const counterStore = (db: Db) => ({
	/** Returns the last row of the next run; null at the end of the table. */
	findEnd(counter: Counter): Promise<number | null> {
		return this.findEndAfter(counter, lastOf(counter))
	},

	async findEndAfter(counter: Counter, after: SQL | number): Promise<number | null> {
		const { table, rows } = counters[counter]
		const [row] = await db.all<{ last: number | null }>(
			sql`
				select max(id) as last
				from (select rowid as id from ${table} where rowid > ${after} order by rowid limit ${rows})
			`,
		)
		return row?.last ?? null
	},

	/** Returns how many of the rows after one, up to `end`, have a wrong counter. */
	async countWrong(counter: Counter, after: number, end: number): Promise<number> {
		const { table, expected } = counters[counter]
		const inRange = sql`x.rowid > ${after} and x.rowid <= ${end}`
		const [row] = await db.all<{ wrong: number }>(
			sql`
				select count(*) as wrong from ${table}
				inner join (${expected(inRange)}) as actual on ${table}.rowid = actual.id
				where ${columnOf(counter)} <> actual.n
			`,
		)
		return row?.wrong ?? 0
	},

	/** Corrects the rows after the last run, up to `end`. Counts in the same statement. Returns the number of wrong rows. */
	async repair(counter: Counter, end: number): Promise<number> {
		const { table, key, expected } = counters[counter]
		const inRange = sql`x.rowid > ${lastOf(counter)} and x.rowid <= ${end}`
		const { countersRepaired } = await batch(db, {
			countersRepaired: db
				.update(table)
				.set({ [key]: sql`actual.n` })
				.from(sql`(${expected(inRange)}) as actual`)
				.where(sql`${table}.rowid = actual.id and ${columnOf(counter)} <> actual.n`)
				.returning({ one: sql<number>`1` }),
			cursorMoved: this.moveToStatement(counter, end),
		})
		return countersRepaired.length
	},

	async startOver(counter: Counter): Promise<void> {
		await this.moveToStatement(counter, 0)
	},

	moveToStatement(counter: Counter, lastId: number) {
		return db
			.insert(counterRepairs)
			.values({ counter, lastId })
			.onConflictDoUpdate({ target: counterRepairs.counter, set: { lastId } })
	},
})

function columnOf(counter: Counter): SQL {
	const { table, key } = counters[counter]
	const column = (table as unknown as Record<string, SQL>)[key] as SQL
	return key === 'reactions' ? sortKeys(column) : column
}

const lastOf = (counter: Counter) =>
	sql`coalesce((select r.last_id from counter_repairs r where r.counter = ${counter}), 0)`

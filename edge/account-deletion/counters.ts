import { type SQL, sql } from 'drizzle-orm'
import { eventRsvps, events, postComments, posts, spaceTopics } from '#schema/tables/community-content.ts'
import { postTerms, postTexts } from '#schema/tables/community-search.ts'
import { firstTellAt } from '../community/notifications/news.ts'
import { recordPurges } from '../platform/storage-purge.ts'
import type { Settle } from './leaver.ts'

/** Places that become free go to those who wait longest, and the event counts who is left. */
export const settleRsvps: Settle = (db, rows, _leaver, now) => {
	const of = sql`(select r.event_id from event_rsvps r where r.rowid in ${rows})`
	const going = sql`(select count(*) from event_rsvps g where g.event_id = e.id and g.status = 'going' and g.rowid not in ${rows})`
	const waiting = sql`(select r.id, r.event_id, row_number() over (partition by r.event_id order by r.id) as place from event_rsvps r where r.event_id in ${of} and r.status = 'waitlisted' and r.rowid not in ${rows})`
	return [
		db
			.update(eventRsvps)
			.set({ status: 'going', updatedAt: now, tellAt: firstTellAt(now) })
			.where(
				sql`id in (select w.id from ${waiting} w join events e on e.id = w.event_id where e.capacity is null or w.place <= e.capacity - ${going})`,
			),
		db
			.update(events)
			.set({
				goingCount: sql`(select count(*) from event_rsvps g where g.event_id = events.id and g.status = 'going' and g.rowid not in ${rows})`,
			})
			.where(sql`id in ${of}`),
	]
}

/** What search knows of posts whose words go, and of what they count for. */
export const settlePosts: Settle = (db, rows, { deleteContent }) => {
	const wordless = sql`(select p.id from posts p where p.rowid in ${rows} and (${deleteContent ? 1 : 0} or p.deleted_at is not null))`
	const unknown = [
		db.delete(postTerms).where(sql`post_id in ${wordless}`),
		db.delete(postTexts).where(sql`post_id in ${wordless}`),
	]
	if (!deleteContent) return unknown
	const gone = sql`(select p.space_id, pt.tag_id, count(*) as n from posts p join post_tags pt on pt.post_id = p.id where p.rowid in ${rows} and p.deleted_at is null group by p.space_id, pt.tag_id) as gone`
	return [
		...unknown,
		db
			.update(spaceTopics)
			.set({ postsCount: sql`posts_count - gone.n` })
			.from(gone)
			.where(sql`space_topics.space_id = gone.space_id and space_topics.tag_id = gone.tag_id`),
	]
}

/** Comments that go take their replies along, as they do when their author deletes them. */
export const settleComments: Settle = (db, rows, { deleteContent }, now) => {
	if (!deleteContent) return []
	const gone = (by: SQL) =>
		sql`(select c.${by} as id, count(*) as n from post_comments c where c.deleted_at is null and (c.rowid in ${rows} or c.parent_id in ${rows}) and c.${by} is not null group by c.${by}) as gone`
	return [
		db
			.update(posts)
			.set({ commentsCount: sql`comments_count - gone.n` })
			.from(gone(sql`post_id`))
			.where(sql`posts.id = gone.id`),
		db
			.update(postComments)
			.set({ repliesCount: sql`replies_count - gone.n` })
			.from(gone(sql`parent_id`))
			.where(sql`post_comments.id = gone.id`),
		db.update(postComments).set({ deletedAt: now }).where(sql`parent_id in ${rows} and deleted_at is null`),
	]
}

/** What is stored of pictures that go. */
export const settleImages: Settle = (db, rows, { deleteContent }, now) =>
	deleteContent
		? [
				recordPurges(
					db,
					sql`select 'vault' as bucket, i.object_key as prefix from images i where i.rowid in ${rows}`,
					now,
				),
			]
		: []

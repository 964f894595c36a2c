import { type SQL, sql } from 'drizzle-orm'
import { postComments, postReactions, posts, spaceTopics } from '#schema/tables/community-content.ts'
import { postTerms, postTexts } from '#schema/tables/community-search.ts'
import { settlePlaces } from '../community/events/places.ts'
import { recordPurges } from '../platform/storage-purge.ts'
import type { Settle } from './leaver.ts'

export const settleRsvps: Settle = (db, rows, _leaver, now) => [...settlePlaces(db, rows, now)]

/** What search knows of posts whose words go, and of what they count for. */
export const settlePosts: Settle = (db, rows, { deleteContent }) => {
	const wordless = sql`(select p.id from posts p where p.rowid in ${rows} and (${deleteContent ? 1 : 0} or p.deleted_at is not null))`
	const unknown = [
		db.delete(postTerms).where(sql`post_id in ${wordless}`),
		db.delete(postTexts).where(sql`post_id in ${wordless}`),
		// Nor is what somebody is reading for it right now written down behind this.
		db.update(posts).set({ indexAt: null }).where(sql`id in ${wordless}`),
	]
	if (!deleteContent) return unknown
	const gone = sql`(select p.space_id, w.value as tag_id, count(*) as n from posts p, json_each(p.topics) w where p.rowid in ${rows} and p.deleted_at is null group by p.space_id, w.value) as gone`
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

/** What is stored of pictures that go, and what others felt about them. */
export const settleImages: Settle = (db, rows, { deleteContent }, now) => {
	if (!deleteContent) return []
	const gone = (what: SQL) => sql`select ${what} from images i where i.rowid in ${rows}`
	return [
		recordPurges(db, gone(sql`'vault' as bucket, i.object_key as prefix`), now),
		db.delete(postReactions).where(sql`image_id in (${gone(sql`i.id`)})`),
	]
}

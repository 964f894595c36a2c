import { type SQL, sql } from 'drizzle-orm'
import { spaces } from '#schema/tables/community/community.ts'
import { postComments, postReactions, posts, spaceTopics } from '#schema/tables/community/content.ts'
import { postTerms, postTexts } from '#schema/tables/community/search.ts'
import { recordEventPerRowStatement } from '../../platform/outbox/outbox.ts'
import type { UpdateDependents } from '../../platform/personal-data.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import { purgeAvatars } from '../avatars/store.ts'
import { settlePlacesStatements } from '../events/places.ts'
import { uncountReactionsStatements } from '../reactions/counts.ts'

export const updateRsvpDependents: UpdateDependents = (db, rows, _departing, now) =>
	Object.values(settlePlacesStatements(db, rows, now))

/** Subtracts erased reactions from the counts of their targets. */
export const updateReactionDependents: UpdateDependents = (db, rows) => uncountReactionsStatements(db, rows)

/** Deletes the avatars of erased memberships, and records that the members left. */
export const updateMembershipDependents: UpdateDependents = (db, rows, _departing, now) => [
	purgeAvatars(db, sql`m.rowid in ${rows}`, now),
	recordEventPerRowStatement(
		db,
		now,
		{
			type: 'member.left',
			orgId: sql`c.org_id`,
			payload: { communityId: sql`c.id`, memberId: sql`m.id` },
		},
		sql`
			from memberships as m
			join communities as c on c.id = m.community_id
			where m.rowid in ${rows} and m.status = 'active' and c.org_id is not null
		`,
		sql`m.id`,
	),
]

/** Removes posts whose text is erased from the search index and from topic counts. */
export const updatePostDependents: UpdateDependents = (db, rows, { deleteContent }) => {
	const erasedPosts = sql`(
		select p.id from posts p
		where p.rowid in ${rows} and (${deleteContent ? 1 : 0} or p.deleted_at is not null)
	)`
	const unindexStatements = [
		db.delete(postTerms).where(sql`post_id in ${erasedPosts}`),
		db.delete(postTexts).where(sql`post_id in ${erasedPosts}`),
		// Prevents an indexing run that has already read the text from storing it afterwards.
		db.update(posts).set({ indexAt: null }).where(sql`id in ${erasedPosts}`),
	]
	if (!deleteContent) return unindexStatements
	const gone = sql`
		(
			select p.space_id, w.value as tag_id, count(*) as n from posts p, json_each(p.topics) w
			where p.rowid in ${rows} and p.deleted_at is null
			group by p.space_id, w.value
		) as gone
	`
	const goneFromSpaces = sql`
		(
			select p.space_id, count(*) as n from posts p
			where p.rowid in ${rows} and p.deleted_at is null
			group by p.space_id
		) as gone
	`
	return [
		...unindexStatements,
		db
			.update(spaces)
			.set({ postsCount: sql`max(0, posts_count - gone.n)` })
			.from(goneFromSpaces)
			.where(sql`spaces.id = gone.space_id`),
		db
			.update(spaceTopics)
			.set({ postsCount: sql`posts_count - gone.n` })
			.from(gone)
			.where(sql`space_topics.space_id = gone.space_id and space_topics.tag_id = gone.tag_id`),
	]
}

/** Subtracts erased comments from the counts. Replies of others stay, as after a deletion by the author. */
export const updateCommentDependents: UpdateDependents = (db, rows, { deleteContent }) => {
	if (!deleteContent) return []
	const gone = (by: SQL) =>
		sql`
			(
				select c.${by} as id, count(*) as n from post_comments c
				where c.deleted_at is null and c.rowid in ${rows} and c.${by} is not null
				group by c.${by}
			) as gone
		`
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
	]
}

/** Deletes the stored files of erased images and the reactions to them. */
export const updateImageDependents: UpdateDependents = (db, rows, { deleteContent }, now) => {
	if (!deleteContent) return []
	const gone = (what: SQL) => sql`select ${what} from images i where i.rowid in ${rows}`
	return [
		recordPurgesStatement(db, gone(sql`'vault' as bucket, i.object_key as prefix`), now),
		db.delete(postReactions).where(sql`image_id in (${gone(sql`i.id`)})`),
	]
}

import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, indexAt, instant } from './columns.ts'

/**
 * When the sweep may (again) hand a row to the queue whose news nobody was told of yet; null once it is done. It stands
 * on the row itself, so that news exist exactly if what they tell of does, and cost no statement of their own.
 */
const notifyAt = () => instant()

/** The author is a user and may be gone. A deleted post keeps its row, so that what points at it finds nothing shown. */
export const posts = sqliteTable(
	'posts',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		spaceId: integer().notNull(),
		authorId: integer(),
		title: text(),
		body: text().notNull(),
		/** Comments and replies that are shown; kept in the batch of each change. */
		commentsCount: integer().notNull().default(0),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		deletedAt: instant(),
		/** Deleted, but by someone who moderates and so that it can come back; the same instant as `deletedAt`. */
		hiddenAt: instant(),
		indexAt: indexAt(),
		/** Ids of tags, each once, in their order. */
		topics: text({ mode: 'json' }).$type<number[]>().notNull().default([]),
	},
	(t) => [
		index('posts_space').on(t.spaceId, t.createdAt, t.id).where(sql`deleted_at is null`),
		index('posts_home').on(t.communityId, t.createdAt, t.id).where(sql`deleted_at is null`),
		index('posts_author').on(t.authorId, t.communityId).where(sql`author_id is not null`),
		index('posts_hidden').on(t.communityId, t.hiddenAt).where(sql`hidden_at is not null`),
		index('posts_unindexed').on(t.indexAt).where(sql`index_at is not null`),
		index('posts_deleted').on(t.communityId, t.deletedAt).where(sql`deleted_at is not null`),
	],
)

/** Two levels: a comment on a post, and replies to it. */
export const postComments = sqliteTable(
	'post_comments',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		postId: integer().notNull(),
		/** The comment this replies to. */
		parentId: integer(),
		authorId: integer(),
		body: text().notNull(),
		repliesCount: integer().notNull().default(0),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		deletedAt: instant(),
		notifyAt: notifyAt(),
		/** As for posts. Replies that went with a comment have its instant. */
		hiddenAt: instant(),
	},
	(t) => [
		index('post_comments_post').on(t.postId, t.parentId, t.createdAt, t.id),
		index('post_comments_parent').on(t.parentId).where(sql`parent_id is not null`),
		index('post_comments_author').on(t.authorId, t.communityId).where(sql`author_id is not null`),
		index('post_comments_community').on(t.communityId),
		index('post_comments_hidden').on(t.communityId, t.hiddenAt).where(sql`hidden_at is not null`),
		index('post_comments_unnotified').on(t.notifyAt).where(sql`notify_at is not null`),
	],
)

/** Pictures of a post. */
export const images = sqliteTable(
	'images',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		postId: integer().notNull(),
		uploaderId: integer(),
		objectKey: text().notNull(),
		contentType: text().notNull(),
		width: integer(),
		height: integer(),
		createdAt: createdAt(),
	},
	(t) => [
		index('images_post').on(t.postId),
		index('images_uploader').on(t.uploaderId).where(sql`uploader_id is not null`),
		index('images_community').on(t.communityId),
	],
)

export const tags = sqliteTable(
	'tags',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		name: text().notNull(),
		slug: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [uniqueIndex('tags_slug').on(t.communityId, t.slug)],
)

/** How many shown posts of a space carry a tag. Counted in the batch of each change: a space may have a million posts. */
export const spaceTopics = sqliteTable(
	'space_topics',
	{ spaceId: integer().notNull(), tagId: integer().notNull(), postsCount: integer().notNull() },
	(t) => [
		uniqueIndex('space_topics_key').on(t.spaceId, t.tagId),
		index('space_topics_order').on(t.spaceId, t.postsCount, t.tagId),
	],
)

export const events = sqliteTable(
	'events',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		spaceId: integer(),
		hostId: integer(),
		title: text().notNull(),
		description: text().notNull(),
		startsAt: instant().notNull(),
		endsAt: instant().notNull(),
		inPersonLocation: text(),
		virtualUrl: text(),
		/** How many may go; null means all who like. */
		capacity: integer(),
		waitlistEnabled: integer({ mode: 'boolean' }).notNull().default(false),
		/** RSVPs with the status going; counted anew in the batch of each change. */
		goingCount: integer().notNull().default(0),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		notifyAt: notifyAt(),
	},
	(t) => [
		index('events_calendar').on(t.communityId, t.startsAt, t.id),
		index('events_space').on(t.spaceId, t.startsAt, t.id).where(sql`space_id is not null`),
		index('events_host').on(t.hostId).where(sql`host_id is not null`),
		index('events_unnotified').on(t.notifyAt).where(sql`notify_at is not null`),
	],
)

export const eventRsvps = sqliteTable(
	'event_rsvps',
	{
		/** Also the order of the waiting list. */
		id: integer().primaryKey({ autoIncrement: true }),
		eventId: integer().notNull(),
		membershipId: integer().notNull(),
		status: text({ enum: ['going', 'waitlisted'] }).notNull(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		notifyAt: notifyAt(),
	},
	(t) => [
		uniqueIndex('event_rsvps_key').on(t.eventId, t.membershipId),
		index('event_rsvps_status').on(t.eventId, t.status),
		index('event_rsvps_member').on(t.membershipId),
		index('event_rsvps_unnotified').on(t.notifyAt).where(sql`notify_at is not null`),
	],
)

/** One of a membership for each target, whatever its kind; partial indexes hold that. */
export const postReactions = sqliteTable(
	'post_reactions',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		membershipId: integer().notNull(),
		postId: integer(),
		commentId: integer(),
		imageId: integer(),
		emoji: text().notNull(),
		createdAt: createdAt(),
		notifyAt: notifyAt(),
	},
	(t) => [
		uniqueIndex('post_reactions_post').on(t.membershipId, t.postId).where(sql`post_id is not null`),
		uniqueIndex('post_reactions_comment').on(t.membershipId, t.commentId).where(sql`comment_id is not null`),
		uniqueIndex('post_reactions_image').on(t.membershipId, t.imageId).where(sql`image_id is not null`),
		index('post_reactions_member').on(t.membershipId),
		index('post_reactions_of_post').on(t.postId, t.emoji).where(sql`post_id is not null`),
		index('post_reactions_of_comment').on(t.commentId, t.emoji).where(sql`comment_id is not null`),
		index('post_reactions_of_image').on(t.imageId, t.emoji).where(sql`image_id is not null`),
		index('post_reactions_unnotified').on(t.notifyAt).where(sql`notify_at is not null`),
		check(
			'post_reactions_one_target',
			sql`(post_id is not null) + (comment_id is not null) + (image_id is not null) = 1`,
		),
	],
)

/** Of the user, not of the membership. Rows of posts that are not visible any more stay: access may come back. */
export const bookmarks = sqliteTable(
	'bookmarks',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		userId: integer().notNull(),
		communityId: integer().notNull(),
		postId: integer().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('bookmarks_key').on(t.userId, t.postId),
		index('bookmarks_list').on(t.userId, t.communityId, t.createdAt, t.id),
		index('bookmarks_post').on(t.postId),
	],
)

export const postFollowers = sqliteTable(
	'post_followers',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		userId: integer().notNull(),
		postId: integer().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('post_followers_key').on(t.userId, t.postId),
		index('post_followers_post').on(t.postId, t.id),
	],
)

/** Given and taken; a balance is the sum of them. They are the person's, and end with the account. */
export const pointTransactions = sqliteTable(
	'point_transactions',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		userId: integer().notNull(),
		points: integer().notNull(),
		reason: text().notNull(),
		/** null when an API key did it. */
		awardedByUserId: integer(),
		createdAt: createdAt(),
	},
	(t) => [
		index('point_transactions_list').on(t.communityId, t.createdAt, t.id),
		index('point_transactions_balance').on(t.userId, t.communityId, t.points),
		index('point_transactions_awarder').on(t.awardedByUserId).where(sql`awarded_by_user_id is not null`),
	],
)

/** What members found wrong, for those who moderate. What was hidden or removed in the meantime is no open case. */
export const flags = sqliteTable(
	'flags',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		/** Who found it wrong. */
		membershipId: integer().notNull(),
		postId: integer(),
		commentId: integer(),
		reason: text().notNull(),
		/** When someone who moderates found nothing wrong with it. */
		dismissedAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('flags_by_post').on(t.membershipId, t.postId).where(sql`post_id is not null`),
		uniqueIndex('flags_by_comment').on(t.membershipId, t.commentId).where(sql`comment_id is not null`),
		index('flags_member').on(t.membershipId),
		index('flags_post').on(t.postId).where(sql`post_id is not null`),
		index('flags_comment').on(t.commentId).where(sql`comment_id is not null`),
		index('flags_open').on(t.communityId, t.createdAt, t.id).where(sql`dismissed_at is null`),
		index('flags_all').on(t.communityId, t.createdAt, t.id),
		check('flags_one_target', sql`(post_id is not null) + (comment_id is not null) = 1`),
	],
)

/** How far the repair of a counter has come; it goes round and round (edge/community/counters). */
export const counterRepairs = sqliteTable('counter_repairs', {
	counter: text({ enum: ['comments', 'replies', 'topics', 'going'] }).primaryKey(),
	lastId: integer().notNull(),
})

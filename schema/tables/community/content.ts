import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, indexAt, instant } from '../columns.ts'

/**
 * When the sweep may next send a row with a pending notification to the queue; null once members were notified. The mark is
 * a column of the source row, so that it disappears with the row and needs no statement of its own.
 */
const notifyAt = () => instant()

/** The number of members per stored reaction, updated in the batch of each change. No page of posts sums reactions. */
const reactionCounts = () => text({ mode: 'json' }).$type<Record<string, number>>().notNull().default({})

/** The author is a user, who may no longer exist. A deleted post keeps its row, which rows that refer to it check. */
export const posts = sqliteTable(
	'posts',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		spaceId: integer().notNull(),
		authorId: integer(),
		title: text(),
		body: text().notNull(),
		/** The number of visible comments and replies, updated in the batch of each change. */
		commentsCount: integer().notNull().default(0),
		reactions: reactionCounts(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		deletedAt: instant(),
		/** Equal to `deletedAt` if a moderator hid the post, which can be restored; else null. */
		hiddenAt: instant(),
		/** Why the moderator hid the post, for its author and other moderators. */
		hiddenReason: text(),
		indexAt: indexAt(),
		/** Ids of tags, each once, in ascending order. */
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
		/** The comment that this one replies to. */
		parentId: integer(),
		authorId: integer(),
		body: text().notNull(),
		repliesCount: integer().notNull().default(0),
		reactions: reactionCounts(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		deletedAt: instant(),
		notifyAt: notifyAt(),
		/** As for posts. Replies that were hidden with their comment have the same instant and reason. */
		hiddenAt: instant(),
		hiddenReason: text(),
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

/** The images of a post. */
export const images = sqliteTable(
	'images',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		postId: integer().notNull(),
		uploaderId: integer(),
		objectKey: text().notNull(),
		contentType: text().notNull(),
		/** The displayed size, with the EXIF orientation applied; null for images that were uploaded before this column existed. */
		width: integer(),
		height: integer(),
		/** A description for people who can't see the image. */
		alt: text(),
		reactions: reactionCounts(),
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

/** The number of visible posts per space and tag. Updated in the batch of each change: a space may have a million posts. */
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
		/** The maximum number of attendees; null for no limit. */
		capacity: integer(),
		waitlistEnabled: integer({ mode: 'boolean' }).notNull().default(false),
		/** The number of RSVPs with the status `going`, counted again in the batch of each change. */
		goingCount: integer().notNull().default(0),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		notifyAt: notifyAt(),
		/** The number of RSVPs with the status `waitlisted`, counted again in the batch of each change. */
		waitlistedCount: integer().notNull().default(0),
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
		/** Also the order of the waitlist. */
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

/** One reaction per membership and target of any kind. Partial indexes enforce this. */
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

/** Belong to the user, not to the membership. Rows of posts that became invisible are kept, because access may return. */
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
		/** When the member unfollowed the post; null for a follower. Kept, so that a later comment does not follow it again. */
		unfollowedAt: instant(),
	},
	(t) => [
		uniqueIndex('post_followers_key').on(t.userId, t.postId),
		index('post_followers_post').on(t.postId, t.id),
	],
)

/** Awarded and deducted points; a balance is their sum. They belong to the user and are deleted with the account. */
export const pointTransactions = sqliteTable(
	'point_transactions',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		userId: integer().notNull(),
		points: integer().notNull(),
		reason: text().notNull(),
		/** null if an API key awarded the points. */
		awardedByUserId: integer(),
		createdAt: createdAt(),
	},
	(t) => [
		index('point_transactions_list').on(t.communityId, t.createdAt, t.id),
		index('point_transactions_balance').on(t.userId, t.communityId, t.points),
		index('point_transactions_awarder').on(t.awardedByUserId).where(sql`awarded_by_user_id is not null`),
	],
)

/** Members' reports about content, for the moderators. A flag is closed once its content is hidden or deleted. */
export const flags = sqliteTable(
	'flags',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		/** The member who flagged the content. */
		membershipId: integer().notNull(),
		postId: integer(),
		commentId: integer(),
		reason: text().notNull(),
		/** When a moderator dismissed the flag. */
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

/** The last row that the repair of each counter checked. At the end of a table, it starts over (edge/community/counters). */
export const counterRepairs = sqliteTable('counter_repairs', {
	counter: text({
		enum: [
			'comments',
			'replies',
			'topics',
			'going',
			'waitlisted',
			'posts',
			'postReactions',
			'commentReactions',
			'imageReactions',
		],
	}).primaryKey(),
	lastId: integer().notNull(),
})

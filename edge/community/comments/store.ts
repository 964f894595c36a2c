import { and, eq, isNull, sql } from 'drizzle-orm'
import { postComments, posts } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { firstTellAt } from '../notifications/news.ts'
import { avatarOf, nameOf } from '../people.ts'
import { visiblePost } from '../posts/store.ts'

export type CommentRow = {
	id: number
	postId: number
	parentId: number | null
	body: string
	createdAt: number
	updatedAt: number
	repliesCount: number
	authorId: number | null
	authorName: string | null
	authorAvatarUrl: string | null
	myReaction: string | null
}

/** `x` is the comment; it shows where its post does. */
export const visibleComment = (viewer: Viewer, commentId: number) => sql`
	post_comments x join posts p on p.id = x.post_id join spaces s on s.id = p.space_id
	where x.id = ${commentId} and x.deleted_at is null and p.deleted_at is null and ${visibleSpaces(viewer)}`

const columns = (viewer: Viewer) => sql`
	x.id, x.post_id as postId, x.parent_id as parentId, x.body, x.created_at as createdAt, x.updated_at as updatedAt,
	x.replies_count as repliesCount, x.author_id as authorId, ${nameOf(sql`x.author_id`)} as authorName,
	${avatarOf(sql`x.author_id`, viewer.communityId)} as authorAvatarUrl,
	(select r.emoji from post_reactions r where r.membership_id = ${viewer.membershipId} and r.comment_id = x.id) as myReaction`

const returned = (viewer: Viewer) => ({
	id: postComments.id,
	postId: postComments.postId,
	parentId: postComments.parentId,
	body: postComments.body,
	createdAt: postComments.createdAt,
	updatedAt: postComments.updatedAt,
	repliesCount: postComments.repliesCount,
	authorId: postComments.authorId,
	authorName: sql<string | null>`${nameOf(sql`post_comments.author_id`)}`.as('author_name'),
	authorAvatarUrl: sql<string | null>`${avatarOf(sql`post_comments.author_id`, viewer.communityId)}`.as(
		'author_avatar',
	),
	myReaction: sql<
		string | null
	>`(select r.emoji from post_reactions r where r.membership_id = ${viewer.membershipId} and r.comment_id = post_comments.id)`.as(
		'my_reaction',
	),
})

export const commentStore = (db: Db) => ({
	/** Comments on a post, or the replies to one of them; the caller has looked whether they may be seen. */
	async list(
		viewer: Viewer,
		of: { postId: number; parentId: number | null },
		limit: number,
		offset: number,
	): Promise<CommentRow[]> {
		const parent = of.parentId === null ? sql`x.parent_id is null` : sql`x.parent_id = ${of.parentId}`
		return db.all(
			sql`select ${columns(viewer)} from post_comments x where x.post_id = ${of.postId} and ${parent} and x.deleted_at is null order by x.created_at, x.id limit ${limit} offset ${offset}`,
		)
	},

	/** Of one author; the newest first. */
	async listOf(viewer: Viewer, authorId: number, limit: number, offset: number): Promise<CommentRow[]> {
		return db.all(
			sql`select ${columns(viewer)} from post_comments x cross join posts p on p.id = x.post_id cross join spaces s on s.id = p.space_id where x.author_id = ${authorId} and x.community_id = ${viewer.communityId} and x.deleted_at is null and p.deleted_at is null and ${visibleSpaces(viewer)} order by x.id desc limit ${limit} offset ${offset}`,
		)
	},

	async find(viewer: Viewer, commentId: number): Promise<CommentRow | undefined> {
		const [row] = await db.all<CommentRow>(
			sql`select ${columns(viewer)} from ${visibleComment(viewer, commentId)}`,
		)
		return row
	},

	/** Counted at its post in the same batch; undefined when the post is not there for the viewer. */
	async insert(viewer: Viewer, postId: number, body: string): Promise<CommentRow | undefined> {
		const [made] = await db.batch([
			db
				.insert(postComments)
				.select(
					sql`select null, p.community_id, p.id, null, ${viewer.userId}, ${body}, 0, ${viewer.now}, ${viewer.now}, null, ${firstTellAt(viewer.now)}, null from ${visiblePost(viewer, postId)}`,
				)
				.returning(returned(viewer)),
			db
				.update(posts)
				.set({ commentsCount: sql`comments_count + 1` })
				.where(and(eq(posts.id, postId), sql`changes() > 0`)),
		])
		return made[0]
	},

	/** Counted at its post and at its comment; undefined when there is no such comment, or it is a reply itself. */
	async insertReply(viewer: Viewer, parentId: number, body: string): Promise<CommentRow | undefined> {
		const [made] = await db.batch([
			db
				.insert(postComments)
				.select(
					sql`select null, x.community_id, x.post_id, x.id, ${viewer.userId}, ${body}, 0, ${viewer.now}, ${viewer.now}, null, ${firstTellAt(viewer.now)}, null from ${visibleComment(viewer, parentId)} and x.parent_id is null`,
				)
				.returning(returned(viewer)),
			db
				.update(posts)
				.set({ commentsCount: sql`comments_count + 1` })
				.where(sql`changes() > 0 and id = (select x.post_id from post_comments x where x.id = ${parentId})`),
			db
				.update(postComments)
				.set({ repliesCount: sql`replies_count + 1` })
				.where(and(eq(postComments.id, parentId), sql`changes() > 0`)),
		])
		return made[0]
	},

	/** Only one's own. */
	async update(viewer: Viewer, commentId: number, body: string): Promise<CommentRow | undefined> {
		const [row] = await db
			.update(postComments)
			.set({ body, updatedAt: viewer.now })
			.where(
				and(
					eq(postComments.id, commentId),
					eq(postComments.authorId, viewer.userId),
					sql`exists (select 1 from ${visibleComment(viewer, commentId)})`,
				),
			)
			.returning(returned(viewer))
		return row
	},

	/**
	 * One's own, or any for those who moderate; with its replies, and taken off the counts by as many as went. What is
	 * hidden can come back.
	 */
	async remove(viewer: Viewer, commentId: number, how: 'for good' | 'hidden'): Promise<boolean> {
		const [removed] = await db.batch([
			db
				.update(postComments)
				.set({ deletedAt: viewer.now, hiddenAt: how === 'hidden' ? viewer.now : null })
				.where(
					and(
						sql`id in (select ${commentId} union all select y.id from post_comments y where y.parent_id = ${commentId})`,
						isNull(postComments.deletedAt),
						sql`exists (select 1 from ${visibleComment(viewer, commentId)} and ${viewer.role === 'member' ? sql`x.author_id = ${viewer.userId}` : sql`true`})`,
					),
				)
				.returning({ id: postComments.id }),
			db
				.update(posts)
				.set({ commentsCount: sql`comments_count - changes()` })
				.where(sql`changes() > 0 and id = (select x.post_id from post_comments x where x.id = ${commentId})`),
			db
				.update(postComments)
				.set({ repliesCount: sql`replies_count - 1` })
				.where(
					sql`changes() > 0 and id = (select x.parent_id from post_comments x where x.id = ${commentId})`,
				),
		])
		return removed.length > 0
	},

	/**
	 * With the replies that went with it. False unless it was hidden, what it stands under is there for the viewer,
	 * and its author has not had it wiped since.
	 */
	async restore(viewer: Viewer, commentId: number): Promise<boolean> {
		const hidden = sql`(select h.hidden_at from post_comments h where h.id = ${commentId})`
		const hasPlace = sql`exists (select 1 from post_comments x join posts p on p.id = x.post_id join spaces s on s.id = p.space_id left join post_comments y on y.id = x.parent_id where x.id = ${commentId} and x.body <> '' and p.deleted_at is null and y.deleted_at is null and ${visibleSpaces(viewer)})`
		const [restored] = await db.batch([
			db
				.update(postComments)
				.set({ deletedAt: null, hiddenAt: null })
				.where(
					sql`id in (select ${commentId} union all select y.id from post_comments y where y.parent_id = ${commentId}) and hidden_at = ${hidden} and body <> '' and ${hasPlace}`,
				)
				.returning({ id: postComments.id }),
			db
				.update(posts)
				.set({ commentsCount: sql`comments_count + changes()` })
				.where(sql`changes() > 0 and id = (select x.post_id from post_comments x where x.id = ${commentId})`),
			db
				.update(postComments)
				.set({ repliesCount: sql`replies_count + 1` })
				.where(
					sql`changes() > 0 and id = (select x.parent_id from post_comments x where x.id = ${commentId})`,
				),
		])
		return restored.length > 0
	},
})

import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import { postComments, posts } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { acceptsComments } from '../access/space-policies.ts'
import { mayReadHidden, selectOrgId, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import type { Removal } from '../moderation/removal.ts'
import { notifyAuthorsStatement } from '../notifications/hiding-store.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import type { PushTo } from '../notifications/push.ts'
import { type PageStart, selectPageByTime } from '../page-start.ts'
import { visiblePost } from '../posts/store.ts'
import { type CommentRow, isShown, returnedCommentColumns, selectedCommentColumns } from './columns.ts'

/** Joins a comment `x` with its post and visible space. */
const commentWhere = (viewer: Viewer, commentId: number, condition: SQL) => sql`
	post_comments x join posts p on p.id = x.post_id join spaces s on s.id = p.space_id
	where x.id = ${commentId} and ${condition} and ${visibleSpaces(viewer)}`

/** Joins a visible comment `x` with its post and space. A comment is visible if its post is. */
export const visibleComment = (viewer: Viewer, commentId: number) =>
	commentWhere(viewer, commentId, sql`x.deleted_at is null and p.deleted_at is null`)

/** Joins a shown comment, possibly a placeholder. */
const shownComment = (viewer: Viewer, commentId: number) =>
	commentWhere(viewer, commentId, sql`${isShown(sql`x`)} and p.deleted_at is null`)

/**
 * SQL condition: a hidden reply can be restored without its parent `y`. Account deletion may have erased a hidden parent,
 * which then can't be restored itself.
 */
export const parentAllowsReplies = sql`(y.hidden_at is null or y.body = '')`

/** The reason that the replies to a hidden comment get. */
const HIDDEN_WITH_COMMENT = 'The comment above was hidden'

const spaceId = sql<number>`(select w.space_id from posts w where w.id = post_comments.post_id)`.as(
	'space_id',
)
const placeColumns = {
	id: postComments.id,
	parentId: postComments.parentId,
	postId: postComments.postId,
	spaceId,
}
type PlacedComment = CommentRow & { spaceId: number }
type MovedComment = Pick<PlacedComment, 'id' | 'parentId' | 'postId' | 'spaceId'> & {
	authorsNotified: PushTo[]
}

const eventOfComment = ({ communityId }: Viewer, commentId: number) => ({
	orgId: selectOrgId(communityId),
	payload: {
		communityId,
		postId: sql<number>`(select x.post_id from post_comments x where x.id = ${commentId})`,
		commentId,
	},
})

export const commentStore = (db: Db) => ({
	/** Lists the comments on a post, or the replies to one of them. The caller has checked that the viewer may read the post. */
	async list(
		viewer: Viewer,
		of: {
			postId: number
			parentId: number | null
			hiddenAt?: number | null
			commentPolicy: SpacePolicy
		},
		limit: number,
		start: PageStart,
	): Promise<CommentRow[]> {
		const { isAfter, inOrder } = selectPageByTime(sql`x`, start, limit)
		const parent = of.parentId === null ? sql`x.parent_id is null` : sql`x.parent_id = ${of.parentId}`
		// The parent of these replies is hidden too, and the viewer may read it.
		const hiddenWithParent = of.hiddenAt
			? sql`(x.hidden_at = ${of.hiddenAt} and ${mayReadHidden(viewer, sql`x`)})`
			: sql`false`
		return db.all(
			sql`
				select ${selectedCommentColumns(viewer, of.commentPolicy)} from post_comments x
				where x.post_id = ${of.postId}
					and ${parent}
					and ${isAfter}
					and (${isShown(sql`x`)} or ${hiddenWithParent})
				${inOrder}
			`,
		)
	},

	/** Lists the comments of one author, newest first. */
	async listByAuthor(viewer: Viewer, authorId: number, limit: number, offset: number): Promise<CommentRow[]> {
		return db.all(
			sql`
				select ${selectedCommentColumns(viewer)} from post_comments x
				cross join posts p on p.id = x.post_id
				cross join spaces s on s.id = p.space_id
				where x.author_id = ${authorId}
					and x.community_id = ${viewer.communityId}
					and x.deleted_at is null
					and p.deleted_at is null
					and ${visibleSpaces(viewer)}
				order by x.id desc limit ${limit} offset ${offset}
			`,
		)
	},

	/**
	 * Finds a comment, a hidden one that the viewer may read, or the placeholder of a removed one. Who may read a hidden
	 * post may read its comments.
	 */
	async find(viewer: Viewer, commentId: number): Promise<CommentRow | undefined> {
		const [row] = await db.all<CommentRow>(
			sql`
				select ${selectedCommentColumns(viewer)}
				from ${commentWhere(
					viewer,
					commentId,
					sql`
					(${isShown(sql`x`)} or ${mayReadHidden(viewer, sql`x`)})
					and (p.deleted_at is null or ${mayReadHidden(viewer, sql`p`)})
				`,
				)}
			`,
		)
		return row
	},

	async isVisible(viewer: Viewer, commentId: number): Promise<boolean> {
		return (await db.all(sql`select 1 from ${visibleComment(viewer, commentId)}`)).length === 1
	},

	/** Inserts a comment and counts it on its post. Returns undefined if the viewer can't see the post or may not comment in its space. */
	async insert(viewer: Viewer, postId: number, body: string): Promise<PlacedComment | undefined> {
		const { commentInserted } = await batch(db, {
			commentInserted: insertSelect(
				db,
				postComments,
				{
					communityId: sql`p.community_id`,
					postId: sql`p.id`,
					authorId: viewer.userId,
					body,
					createdAt: viewer.now,
					updatedAt: viewer.now,
					notifyAt: computeFirstNotifyAt(viewer.now),
				},
				sql`from ${visiblePost(viewer, postId)} and ${acceptsComments(viewer)}`,
			).returning({ ...returnedCommentColumns(viewer), spaceId }),
			postCountChanged: db
				.update(posts)
				.set({ commentsCount: sql`comments_count + 1` })
				.where(and(eq(posts.id, postId), sql`changes() > 0`)),
		})
		return commentInserted[0]
	},

	/**
	 * Inserts a reply and counts it on post and comment. Returns undefined if the comment is hidden or itself a
	 * reply, or the viewer may not comment in its space. A removed comment that has replies still accepts more.
	 */
	async insertReply(viewer: Viewer, parentId: number, body: string): Promise<PlacedComment | undefined> {
		const { commentInserted } = await batch(db, {
			commentInserted: insertSelect(
				db,
				postComments,
				{
					communityId: sql`x.community_id`,
					postId: sql`x.post_id`,
					parentId: sql`x.id`,
					authorId: viewer.userId,
					body,
					createdAt: viewer.now,
					updatedAt: viewer.now,
					notifyAt: computeFirstNotifyAt(viewer.now),
				},
				sql`from ${shownComment(viewer, parentId)} and x.parent_id is null and ${acceptsComments(viewer)}`,
			).returning({ ...returnedCommentColumns(viewer), spaceId }),
			postCountChanged: db
				.update(posts)
				.set({ commentsCount: sql`comments_count + 1` })
				.where(sql`changes() > 0 and id = (select x.post_id from post_comments x where x.id = ${parentId})`),
			replyCountChanged: db
				.update(postComments)
				.set({ repliesCount: sql`replies_count + 1` })
				.where(and(eq(postComments.id, parentId), sql`changes() > 0`)),
		})
		return commentInserted[0]
	},

	/** Updates a comment of the viewer, with `before` only if it still has this text. Returns undefined for comments of others. */
	async update(
		work: UnitOfWork,
		viewer: Viewer,
		commentId: number,
		body: string,
		before?: { body: string },
	): Promise<PlacedComment | undefined> {
		const { commentUpdated } = await batch(db, {
			commentUpdated: db
				.update(postComments)
				.set({ body, updatedAt: viewer.now })
				.where(
					and(
						eq(postComments.id, commentId),
						eq(postComments.authorId, viewer.userId),
						before && eq(postComments.body, before.body),
						sql`exists (select 1 from ${visibleComment(viewer, commentId)})`,
					),
				)
				.returning({ ...returnedCommentColumns(viewer), spaceId }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'post_comment.updated',
				...eventOfComment(viewer, commentId),
			}),
		})
		return commentUpdated[0]
	},

	/**
	 * Deletes a comment, or hides it with its replies, and updates the counts. Members can remove their own comments,
	 * moderators any. Replies to a deleted comment stay, below a placeholder. A hidden comment can be restored. Returns its
	 * place and the notifications of the authors; undefined if nothing changed.
	 */
	async remove(
		work: UnitOfWork,
		viewer: Viewer,
		commentId: number,
		how: Removal,
	): Promise<MovedComment | undefined> {
		const replies = sql`union all select y.id from post_comments y where y.parent_id = ${commentId}`
		const { authorsNotified, commentsDeleted } = await batch(db, {
			authorsNotified:
				how.kind === 'hide' && viewer.role !== 'member'
					? notifyAuthorsStatement(
							db,
							viewer,
							'comment_hidden',
							commentId,
							sql`x.deleted_at is null and exists (select 1 from ${visibleComment(viewer, commentId)})`,
						)
					: null,
			commentsDeleted: db
				.update(postComments)
				.set({
					deletedAt: viewer.now,
					...(how.kind === 'hide'
						? {
								hiddenAt: viewer.now,
								// Others wrote the replies; the reason is not about them.
								hiddenReason: sql`
									case when id = ${commentId} then ${how.reason} else ${HIDDEN_WITH_COMMENT} end
								`,
							}
						: { body: '' }),
				})
				.where(
					and(
						sql`id in (select ${commentId} ${how.kind === 'delete' ? sql`` : replies})`,
						isNull(postComments.deletedAt),
						sql`exists (
							select 1
							from ${visibleComment(viewer, commentId)}
								and ${viewer.role === 'member' ? sql`x.author_id = ${viewer.userId}` : sql`true`}
						)`,
					),
				)
				.returning(placeColumns),
			postCountChanged: db
				.update(posts)
				.set({ commentsCount: sql`comments_count - changes()` })
				.where(sql`changes() > 0 and id = (select x.post_id from post_comments x where x.id = ${commentId})`),
			// `changes()` carries over: if the comment changed, so did its post, so the event is recorded, and so is the next count.
			eventRecorded: recordEventIfChangedStatement(work, {
				type: how.kind === 'delete' ? 'post_comment.deleted' : 'post_comment.hidden',
				...eventOfComment(viewer, commentId),
			}),
			replyCountChanged: db
				.update(postComments)
				.set({ repliesCount: sql`replies_count - 1` })
				.where(
					sql`changes() > 0 and id = (select x.parent_id from post_comments x where x.id = ${commentId})`,
				),
		})
		const place = commentsDeleted.find(({ id }) => id === commentId)
		return place && { ...place, authorsNotified: authorsNotified ?? [] }
	},

	/**
	 * Restores a hidden comment with the replies that were hidden with it. Returns its place and the notifications of the authors;
	 * undefined if its parent is hidden or invisible, or account deletion erased its text. A deleted parent gets its placeholder back.
	 */
	async restore(work: UnitOfWork, viewer: Viewer, commentId: number): Promise<MovedComment | undefined> {
		const hiddenAt = sql`(select h.hidden_at from post_comments h where h.id = ${commentId})`
		const canReturn = sql`exists (
			select 1 from post_comments x
			join posts p on p.id = x.post_id
			join spaces s on s.id = p.space_id
			left join post_comments y on y.id = x.parent_id
			where x.id = ${commentId}
				and x.body <> ''
				and p.deleted_at is null
				and ${parentAllowsReplies}
				and ${visibleSpaces(viewer)}
		)`
		const { authorsNotified, commentsRestored } = await batch(db, {
			authorsNotified: notifyAuthorsStatement(
				db,
				viewer,
				'comment_restored',
				commentId,
				sql`x.hidden_at = ${hiddenAt} and x.body <> '' and ${canReturn}`,
			),
			commentsRestored: db
				.update(postComments)
				.set({ deletedAt: null, hiddenAt: null, hiddenReason: null })
				.where(
					sql`
						id in (
							select ${commentId} union all select y.id from post_comments y where y.parent_id = ${commentId}
						)
						and hidden_at = ${hiddenAt}
						and body <> ''
						and ${canReturn}
					`,
				)
				.returning(placeColumns),
			postCountChanged: db
				.update(posts)
				.set({ commentsCount: sql`comments_count + changes()` })
				.where(sql`changes() > 0 and id = (select x.post_id from post_comments x where x.id = ${commentId})`),
			// `changes()` carries over: if the comment changed, so did its post, so the event is recorded, and so is the next count.
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'post_comment.restored',
				...eventOfComment(viewer, commentId),
			}),
			replyCountChanged: db
				.update(postComments)
				.set({ repliesCount: sql`replies_count + 1` })
				.where(
					sql`changes() > 0 and id = (select x.parent_id from post_comments x where x.id = ${commentId})`,
				),
		})
		const place = commentsRestored.find(({ id }) => id === commentId)
		return place && { ...place, authorsNotified }
	},
})

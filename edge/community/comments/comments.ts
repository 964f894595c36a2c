import type { ListQuery } from '#schema/contract/community/fields.ts'
import type { TimeOrderQuery } from '#schema/contract/community/time-order.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { isOpenTo } from '../access/space-policies.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { computePageOffset } from '../lists.ts'
import { findUserId } from '../members/members.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { readPageStart } from '../page-start.ts'
import { findPost, readCommentPolicy } from '../posts/posts.ts'
import { spacePolicyError } from '../spaces/policies.ts'
import { announceComment } from '../streams/announce.ts'
import type { CommentRow } from './columns.ts'
import { commentStore } from './store.ts'

const commentNotFoundError = () => notFoundError('comment')
const notAuthorError = () => new AppError('forbidden', 'only the author can change a comment')

export async function listComments(deps: Deps, viewer: Viewer, postId: number, query: TimeOrderQuery) {
	const commentPolicy = await readCommentPolicy(deps, viewer, postId)
	const of = { postId, parentId: null, commentPolicy }
	return commentStore(deps.db).list(viewer, of, query.per_page + 1, readPageStart(query))
}

export async function listReplies(deps: Deps, viewer: Viewer, commentId: number, query: TimeOrderQuery) {
	const { postId, hiddenAt, commentPolicy } = await findComment(deps, viewer, commentId)
	const of = { postId, parentId: commentId, hiddenAt, commentPolicy }
	return commentStore(deps.db).list(viewer, of, query.per_page + 1, readPageStart(query))
}

export async function listMemberComments(deps: Deps, viewer: Viewer, memberId: number, query: ListQuery) {
	const authorId = await findUserId(deps, viewer, memberId)
	return commentStore(deps.db).listByAuthor(viewer, authorId, query.per_page + 1, computePageOffset(query))
}

export async function findComment({ db }: Deps, viewer: Viewer, commentId: number): Promise<CommentRow> {
	const comment = await commentStore(db).find(viewer, commentId)
	if (!comment) throw commentNotFoundError()
	return comment
}

export async function createComment(deps: Deps, viewer: Viewer, postId: number, body: string) {
	const comment = await commentStore(deps.db).insert(viewer, postId, body)
	if (!comment) throw spacePolicyError('comment', (await findPost(deps, viewer, postId)).commentPolicy)
	deferNotifications(deps, 'comment', [comment.id])
	announceComment(deps, viewer.communityId, 'created', comment)
	return comment
}

export async function createReply(deps: Deps, viewer: Viewer, commentId: number, body: string) {
	const reply = await commentStore(deps.db).insertReply(viewer, commentId, body)
	if (!reply) {
		const { commentPolicy, isOpen, parentId } = await findComment(deps, viewer, commentId)
		throw isOpen === 0 || parentId !== null || isOpenTo(viewer.role, commentPolicy)
			? commentNotFoundError()
			: spacePolicyError('comment', commentPolicy)
	}
	deferNotifications(deps, 'comment', [reply.id])
	announceComment(deps, viewer.communityId, 'created', reply)
	return reply
}

export async function updateComment(
	deps: Deps,
	viewer: Viewer,
	commentId: number,
	body: string,
	before?: CommentRow,
): Promise<CommentRow> {
	const store = commentStore(deps.db)
	const updated = await store.update(deps.work, viewer, commentId, body, before)
	if (updated) {
		announceComment(deps, viewer.communityId, 'updated', updated)
		return updated
	}
	throw (await store.isVisible(viewer, commentId)) ? notAuthorError() : commentNotFoundError()
}

export async function deleteComment(deps: Deps, viewer: Viewer, commentId: number): Promise<void> {
	const store = commentStore(deps.db)
	const removed = await store.remove(deps.work, viewer, commentId, { kind: 'delete' })
	if (removed) return announceComment(deps, viewer.communityId, 'removed', removed)
	throw (await store.isVisible(viewer, commentId))
		? new AppError('forbidden', 'only the author or a moderator can delete a comment')
		: commentNotFoundError()
}

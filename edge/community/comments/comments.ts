import type { ListQuery } from '#schema/contract/community/fields.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { offsetOf } from '../lists.ts'
import { announce } from '../notifications/news.ts'
import { postStore } from '../posts/store.ts'
import { type CommentRow, commentStore } from './store.ts'

const noPost = () => new AppError('not_found', 'no such post')
const noComment = () => new AppError('not_found', 'no such comment')
const notYours = () => new AppError('forbidden', 'this is the comment of someone else')

export async function listComments({ db }: Deps, viewer: Viewer, postId: number, query: ListQuery) {
	if (!(await postStore(db).isVisible(viewer, postId))) throw noPost()
	const of = { postId, parentId: null }
	return commentStore(db).list(viewer, of, query.per_page + 1, offsetOf(query))
}

export async function listReplies(deps: Deps, viewer: Viewer, commentId: number, query: ListQuery) {
	const { postId } = await findComment(deps, viewer, commentId)
	const of = { postId, parentId: commentId }
	return commentStore(deps.db).list(viewer, of, query.per_page + 1, offsetOf(query))
}

export async function findComment({ db }: Deps, viewer: Viewer, commentId: number): Promise<CommentRow> {
	const comment = await commentStore(db).find(viewer, commentId)
	if (!comment) throw noComment()
	return comment
}

export async function createComment(deps: Deps, viewer: Viewer, postId: number, body: string) {
	const made = await commentStore(deps.db).insert(viewer, postId, body)
	if (!made) throw noPost()
	announce(deps, 'comment', [made.id])
	return made
}

export async function createReply(deps: Deps, viewer: Viewer, commentId: number, body: string) {
	const made = await commentStore(deps.db).insertReply(viewer, commentId, body)
	if (!made) throw noComment()
	announce(deps, 'comment', [made.id])
	return made
}

export async function updateComment(
	{ db }: Deps,
	viewer: Viewer,
	commentId: number,
	body: string,
): Promise<CommentRow> {
	const store = commentStore(db)
	const changed = await store.update(viewer, commentId, body)
	if (changed) return changed
	throw (await store.find(viewer, commentId)) ? notYours() : noComment()
}

export async function deleteComment({ db }: Deps, viewer: Viewer, commentId: number): Promise<void> {
	const store = commentStore(db)
	if (await store.remove(viewer, commentId, 'for good')) return
	throw (await store.find(viewer, commentId)) ? notYours() : noComment()
}

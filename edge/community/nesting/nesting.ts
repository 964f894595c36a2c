import { notFoundError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import type { Deps } from '../../platform/deps.ts'
import { postNotFoundError } from '../not-found.ts'
import { nestingStore } from './store.ts'

/** Throws 404 if the path also names a space, and the post is not in it. */
export async function requirePlaceOfPost(
	{ db }: Deps,
	{ postId, spaceId }: { postId: number; spaceId?: number },
): Promise<void> {
	if (spaceId === undefined || (await nestingStore(db).isInSpace(postId, spaceId))) return
	throw postNotFoundError()
}

/** Throws 404 if the path also names a post or a comment, and the comment is not directly under it. */
export async function requirePlaceOfComment(
	{ db }: Deps,
	{ commentId, postId, parentId }: { commentId: number; postId?: number; parentId?: number },
): Promise<void> {
	if (postId === undefined && parentId === undefined) return
	if (await nestingStore(db).isUnder(commentId, omitUndefined({ postId, parentId }))) return
	throw notFoundError('comment')
}

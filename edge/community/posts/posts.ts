import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { isOpenTo } from '../access/space-policies.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { findUserId } from '../members/members.ts'
import { postNotFoundError } from '../not-found.ts'
import type { PageStart } from '../page-start.ts'
import { deferIndexing } from '../search/index-content.ts'
import { spacePolicyError } from '../spaces/policies.ts'
import { findSpace } from '../spaces/spaces.ts'
import { announcePost } from '../streams/announce.ts'
import type { PostRow } from './columns.ts'
import { type PostChange, pickEditableFields, postStore } from './store.ts'

const unknownTopicError = () =>
	new AppError('validation', 'topics: contains an unknown topic; list the topics of the community')

export async function findPost({ db }: Deps, viewer: Viewer, postId: number): Promise<PostRow> {
	const post = await postStore(db).find(viewer, postId)
	if (!post) throw postNotFoundError()
	return post
}

/** Returns a post, also a hidden one to its author and to moderators. */
export async function readPost({ db }: Deps, viewer: Viewer, postId: number): Promise<PostRow> {
	const post = await postStore(db).findReadable(viewer, postId)
	if (!post) throw postNotFoundError()
	return post
}

/** Throws 404 for a post that the viewer can't see. */
export async function requirePost({ db }: Deps, viewer: Viewer, postId: number): Promise<void> {
	if (!(await postStore(db).isVisible(viewer, postId))) throw postNotFoundError()
}

/** Returns who may comment on a post that the viewer may read, including a hidden one. Throws 404 for other posts. */
export async function readCommentPolicy({ db }: Deps, viewer: Viewer, postId: number): Promise<SpacePolicy> {
	const policy = await postStore(db).findCommentPolicy(viewer, postId)
	if (!policy) throw postNotFoundError()
	return policy
}

export async function listSpacePosts(
	deps: Deps,
	viewer: Viewer,
	spaceId: number,
	limit: number,
	start: PageStart,
): Promise<PostRow[]> {
	const { id } = await findSpace(deps, viewer, spaceId)
	return postStore(deps.db).listInSpace(viewer, id, limit, start)
}

export async function listMemberPosts(
	deps: Deps,
	viewer: Viewer,
	memberId: number,
	limit: number,
	offset: number,
): Promise<PostRow[]> {
	const authorId = await findUserId(deps, viewer, memberId)
	return postStore(deps.db).listByAuthor(viewer, authorId, limit, offset)
}

export async function createPost(
	deps: Deps,
	viewer: Viewer,
	spaceId: number,
	post: { title: string | null; body: string; topics: number[] },
): Promise<PostRow> {
	const inserted = await postStore(deps.db).insert(viewer, spaceId, post)
	if (inserted) {
		deferIndexing(deps, 'post', inserted.id)
		announcePost(deps, viewer.communityId, 'created', { ...inserted, postId: inserted.id })
		return inserted
	}
	const { postPolicy } = await findSpace(deps, viewer, spaceId)
	throw isOpenTo(viewer.role, postPolicy) ? unknownTopicError() : spacePolicyError('post', postPolicy)
}

export async function updatePost(
	deps: Deps,
	viewer: Viewer,
	postId: number,
	change: PostChange,
	before?: PostRow,
): Promise<PostRow> {
	const updated = await postStore(deps.db).update(
		deps.work,
		viewer,
		postId,
		change,
		before && pickEditableFields(before),
	)
	if (updated) {
		deferIndexing(deps, 'post', postId)
		announcePost(deps, viewer.communityId, 'updated', { ...updated, postId })
		return updated
	}
	const post = await findPost(deps, viewer, postId)
	throw post.authorId === viewer.userId
		? unknownTopicError()
		: new AppError('forbidden', 'only the author can change a post')
}

export async function deletePost(deps: Deps, viewer: Viewer, postId: number): Promise<void> {
	const store = postStore(deps.db)
	const removed = await store.remove(deps.work, viewer, postId, { kind: 'delete' })
	if (removed) return announcePost(deps, viewer.communityId, 'removed', removed)
	if (!(await store.isVisible(viewer, postId))) throw postNotFoundError()
	throw new AppError('forbidden', 'only the author or a moderator can delete a post')
}

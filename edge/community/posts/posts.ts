import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { indexBehind } from '../search/index-content.ts'
import { findSpace } from '../spaces/spaces.ts'
import { type PostChange, type PostRow, postStore } from './store.ts'

const noTopic = () => new AppError('validation', 'topics: the community has no such topic')
const noPost = () => new AppError('not_found', 'no such post')

export async function findPost({ db }: Deps, viewer: Viewer, postId: number): Promise<PostRow> {
	const post = await postStore(db).find(viewer, postId)
	if (!post) throw noPost()
	return post
}

export async function createPost(
	deps: Deps,
	viewer: Viewer,
	spaceId: number,
	post: { title: string | null; body: string; topics: number[] },
): Promise<PostRow> {
	const made = await postStore(deps.db).insert(viewer, spaceId, post)
	if (made) {
		indexBehind(deps, 'post', made.id)
		return made
	}
	await findSpace(deps, viewer, spaceId)
	throw noTopic()
}

export async function updatePost(
	deps: Deps,
	viewer: Viewer,
	postId: number,
	change: PostChange,
): Promise<PostRow> {
	const changed = await postStore(deps.db).update(viewer, postId, change)
	if (changed) {
		indexBehind(deps, 'post', postId)
		return changed
	}
	const post = await findPost(deps, viewer, postId)
	throw post.authorId === viewer.userId
		? noTopic()
		: new AppError('forbidden', 'this is the post of someone else')
}

export async function deletePost({ db }: Deps, viewer: Viewer, postId: number): Promise<void> {
	const store = postStore(db)
	if (await store.remove(viewer, postId, 'for good')) return
	if (!(await store.isVisible(viewer, postId))) throw noPost()
	throw new AppError('forbidden', 'this is the post of someone else')
}

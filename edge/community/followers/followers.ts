import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { requirePost } from '../posts/posts.ts'
import { followerStore } from './store.ts'

export async function listFollowers(deps: Deps, viewer: Viewer, postId: number) {
	await requirePost(deps, viewer, postId)
	return followerStore(deps.db).list(viewer, postId)
}

export async function followPost(deps: Deps, viewer: Viewer, postId: number): Promise<void> {
	if (!(await followerStore(deps.db).insert(viewer, postId))) await requirePost(deps, viewer, postId)
}

/** Unfollows a post, even if the caller no longer sees it. */
export async function unfollowPost(deps: Deps, viewer: Viewer, postId: number): Promise<void> {
	if (!(await followerStore(deps.db).unfollow(viewer, postId))) await requirePost(deps, viewer, postId)
}

import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { requirePost } from '../posts/posts.ts'
import { bookmarkStore } from './store.ts'

/** Returns true for the call that creates the bookmark, false if it already existed. */
export async function bookmarkPost(deps: Deps, viewer: Viewer, postId: number): Promise<boolean> {
	if (await bookmarkStore(deps.db).insert(viewer, postId)) return true
	await requirePost(deps, viewer, postId)
	return false
}

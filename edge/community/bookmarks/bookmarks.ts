import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { requirePost } from '../posts/posts.ts'
import { findSpace } from '../spaces/spaces.ts'
import { type BookmarkRow, bookmarkStore } from './store.ts'

/** Returns true for the call that creates the bookmark, false if it already existed. */
export async function bookmarkPost(deps: Deps, viewer: Viewer, postId: number): Promise<boolean> {
	if (await bookmarkStore(deps.db).insert(viewer, postId)) return true
	await requirePost(deps, viewer, postId)
	return false
}

/** Deletes the viewer's bookmark, if there is one, even if they no longer see the post. */
export async function deleteBookmark({ db }: Deps, viewer: Viewer, postId: number): Promise<void> {
	await bookmarkStore(db).remove(viewer, postId)
}

export async function listSpaceBookmarks(
	deps: Deps,
	viewer: Viewer,
	spaceId: number,
): Promise<BookmarkRow[]> {
	const { id } = await findSpace(deps, viewer, spaceId)
	return bookmarkStore(deps.db).listInSpace(viewer, id)
}

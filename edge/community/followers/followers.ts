import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { postStore } from '../posts/store.ts'
import { followerStore } from './store.ts'

async function wantPost({ db }: Deps, viewer: Viewer, postId: number): Promise<void> {
	if (!(await postStore(db).isVisible(viewer, postId))) throw new AppError('not_found', 'no such post')
}

export async function listFollowers(deps: Deps, viewer: Viewer, postId: number) {
	await wantPost(deps, viewer, postId)
	return followerStore(deps.db).list(viewer, postId)
}

export async function followPost(deps: Deps, viewer: Viewer, postId: number): Promise<void> {
	if (!(await followerStore(deps.db).insert(viewer, postId))) await wantPost(deps, viewer, postId)
}

/** One's own follow can always be taken away, also when the post is not visible any more. */
export async function unfollowPost(deps: Deps, viewer: Viewer, postId: number): Promise<void> {
	if (!(await followerStore(deps.db).remove(viewer, postId))) await wantPost(deps, viewer, postId)
}

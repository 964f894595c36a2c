import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { postStore } from '../posts/store.ts'
import { bookmarkStore } from './store.ts'

/** Says whether it was made now; of many at once one makes it. */
export async function bookmarkPost({ db }: Deps, viewer: Viewer, postId: number): Promise<boolean> {
	if (await bookmarkStore(db).insert(viewer, postId)) return true
	if (!(await postStore(db).isVisible(viewer, postId))) throw new AppError('not_found', 'no such post')
	return false
}

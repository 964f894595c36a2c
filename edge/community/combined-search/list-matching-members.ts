import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { memberStore } from '../members/store.ts'

/** Lists the members that match a text; all members if it is empty. */
export function listMatchingMembers(
	{ db }: Pick<Deps, 'db'>,
	viewer: Viewer,
	text: string,
	limit: number,
	offset: number,
) {
	const store = memberStore(db)
	if (text !== '') return store.search(viewer, text, limit, offset)
	return store.list(viewer, limit, { sort: 'oldest', from: offset })
}

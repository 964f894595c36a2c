import * as contract from '#schema/contract/community/post-reactions.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { viewerOf } from '../access/viewer.ts'
import { reactionStore } from './store.ts'

export const reactionRoutes: Route[] = [
	serve(contract.react, async ({ deps, caller, body }) => {
		const { reactable_type, reactable_id, reaction } = body
		const viewer = viewerOf(caller, deps)
		const row = await reactionStore(deps.db).put(viewer, reactable_type, reactable_id, reaction)
		if (!row) throw new AppError('not_found', `no such ${reactable_type.toLowerCase()}`)
		return row
	}),

	serve(contract.unreact, async ({ deps, caller, body }) => {
		await reactionStore(deps.db).remove(viewerOf(caller, deps), body.reactable_type, body.reactable_id)
		return { success: true as const }
	}),
]

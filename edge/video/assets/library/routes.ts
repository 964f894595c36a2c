import { countAssets } from '#schema/contract/video/assets.ts'
import { type Route, serve } from '../../../http/route.ts'
import { countsStore } from './counts-store.ts'

export const libraryRoutes: Route[] = [
	serve(countAssets, async ({ deps, caller, query }) => ({
		data: await countsStore(deps.db).count(caller.org.id, query),
	})),
]

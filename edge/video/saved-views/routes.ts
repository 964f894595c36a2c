import * as contract from '#schema/contract/video/saved-views.ts'
import { type Route, serve } from '../../http/route.ts'
import { createSavedView, deleteSavedView, updateSavedView } from './saved-views.ts'
import { savedViewStore } from './store.ts'
import { viewSavedView } from './view.ts'

export const savedViewRoutes: Route[] = [
	serve(contract.listSavedViews, async ({ deps, caller }) => ({
		data: (await savedViewStore(deps.db).list(caller.org.id)).map(viewSavedView),
	})),

	serve(contract.createSavedView, async ({ deps, caller, body }) => ({
		data: viewSavedView(await createSavedView(deps, caller.org.id, body)),
	})),

	serve(contract.updateSavedView, async ({ deps, caller, params, body }) => ({
		data: viewSavedView(await updateSavedView(deps, caller.org.id, params.viewId, body)),
	})),

	serve(contract.deleteSavedView, async ({ deps, caller, params }) => {
		await deleteSavedView(deps, caller.org.id, params.viewId)
		return { data: { id: params.viewId, deleted: true as const } }
	}),
]

import * as contract from '#schema/contract/video/collections.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { createCollection, deleteCollection, updateCollection } from './collections.ts'
import { collectionStore } from './store.ts'
import { viewCollection } from './view.ts'

export const collectionRoutes: Route[] = [
	serve(contract.listCollections, async ({ deps, caller, query, request, headers }) => {
		const rows = await collectionStore(deps.db).list(caller.org.id, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewCollection) }
	}),

	serve(contract.createCollection, async ({ deps, caller, body }) => ({
		data: viewCollection(await createCollection(deps, caller.org.id, body)),
	})),

	serve(contract.updateCollection, async ({ deps, caller, params, body }) => ({
		data: viewCollection(await updateCollection(deps, caller.org.id, params.collectionId, body)),
	})),

	serve(contract.deleteCollection, async ({ deps, caller, params }) => {
		await deleteCollection(deps, caller.org.id, params.collectionId)
		return { data: { id: params.collectionId, deleted: true as const } }
	}),
]

import * as contract from '#schema/contract/video/collections.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { createCollection, deleteCollection, getCollection, updateCollection } from './collections.ts'
import { collectionStore, pickEditableColumns } from './store.ts'
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

	serve(contract.getCollection, async ({ deps, caller, params, headers }) => {
		const row = await getCollection(deps, caller.org.id, params.collectionId)
		await setEntityTag(headers, pickEditableColumns(row))
		return { data: viewCollection(row) }
	}),

	serve(
		contract.updateCollection,
		async ({ deps, caller, params: { collectionId }, body, request, headers }) => {
			const row = await updateMatching(
				contract.updateCollection,
				{ request, headers },
				{
					read: () => getCollection(deps, caller.org.id, collectionId),
					toState: pickEditableColumns,
					update: (before) => updateCollection(deps, caller.org.id, collectionId, body, before),
				},
			)
			return { data: viewCollection(row) }
		},
	),

	serve(contract.deleteCollection, async ({ deps, caller, params }) => {
		await deleteCollection(deps, caller.org.id, params.collectionId)
		return { data: { id: params.collectionId, deleted: true as const } }
	}),
]

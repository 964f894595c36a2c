import * as contract from '#schema/contract/assets.ts'
import { readBytes } from '../http/bytes-body.ts'
import { pageOf, positionOf } from '../http/page.ts'
import { type Route, serve } from '../http/route.ts'
import { apiBase } from '../platform/env.ts'
import { createAsset, deleteAsset, getAsset, updateAsset } from './assets.ts'
import { searchStore } from './search-store.ts'
import { assetStore } from './store.ts'
import { resetThumbnail, setThumbnail } from './thumbnail.ts'
import { viewAsset, viewSummary, viewThumbnail } from './view.ts'

export const assetRoutes: Route[] = [
	serve(contract.createAsset, async ({ deps, caller, body }) => {
		const { id, playbackId } = await createAsset(deps, caller.org.id, body)
		return { data: { id, playbackId, status: 'created' as const } }
	}),

	serve(contract.listAssets, async ({ deps, caller, query, request, headers }) => {
		const store = assetStore(deps.db)
		const rows = await store.list(caller.org.id, query.collectionId, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map((row) => viewSummary(row, apiBase(deps.env, request))) }
	}),

	serve(contract.searchAssets, async ({ deps, caller, query, request }) => {
		const { items, total } = await searchStore(deps.db).search(caller.org.id, query)
		const base = apiBase(deps.env, request)
		const { limit, offset } = query
		return { data: { items: items.map((row) => viewSummary(row, base)), total, limit, offset } }
	}),

	serve(contract.getAsset, async ({ deps, caller, params, request }) => ({
		data: viewAsset(await getAsset(deps, caller.org.id, params.assetId), apiBase(deps.env, request)),
	})),

	serve(contract.updateAsset, async ({ deps, caller, params, body, request }) => ({
		data: viewAsset(await updateAsset(deps, caller.org.id, params.assetId, body), apiBase(deps.env, request)),
	})),

	serve(contract.setThumbnail, async ({ deps, caller, params, request }) => {
		const bytes = await readBytes(request, contract.MAX_THUMBNAIL_BYTES)
		const row = await setThumbnail(deps, caller.org.id, params.assetId, bytes)
		return { data: viewThumbnail(row, apiBase(deps.env, request)) }
	}),

	serve(contract.resetThumbnail, async ({ deps, caller, params, request }) => {
		const row = await resetThumbnail(deps, caller.org.id, params.assetId)
		return { data: viewThumbnail(row, apiBase(deps.env, request)) }
	}),

	serve(contract.deleteAsset, async ({ deps, caller, params }) => {
		await deleteAsset(deps, caller.org.id, params.assetId)
		return { data: { id: params.assetId, deleted: true as const } }
	}),
]

import * as contract from '#schema/contract/video/direct-uploads.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { cancelDirectUpload, createDirectUpload, getDirectUpload } from './direct-uploads.ts'
import { receiveDirectly } from './receive.ts'
import { directUploadStore } from './store.ts'
import { viewDirectUpload } from './view.ts'

export const directUploadRoutes: Route[] = [
	serve(contract.createDirectUpload, async ({ deps, caller, body, request }) => {
		const { row, token } = await createDirectUpload(deps, caller.org.id, body)
		const url = buildUrl(apiBase(deps.env, request), ['upload', 'direct', token])
		return { data: { ...viewDirectUpload(row), url } }
	}),

	serve(contract.listDirectUploads, async ({ deps, caller, query, request, headers }) => {
		const rows = await directUploadStore(deps.db).list(caller.org.id, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewDirectUpload) }
	}),

	serve(contract.getDirectUpload, async ({ deps, caller, params }) => ({
		data: viewDirectUpload(await getDirectUpload(deps, caller.org.id, params.uploadId)),
	})),

	serve(contract.cancelDirectUpload, async ({ deps, caller, params }) => ({
		data: viewDirectUpload(await cancelDirectUpload(deps, caller.org.id, params.uploadId)),
	})),

	serve(contract.uploadDirectly, async ({ deps, params, request }) => {
		const received = await receiveDirectly(deps, params.uploadToken, request)
		if (received instanceof Response) return received
		return { data: { id: received.id, status: 'asset_created' as const } }
	}),
]

import * as contract from '#schema/contract/video/uploads.ts'
import { type Route, serve } from '../http/route.ts'
import { iso } from '../platform/clock.ts'
import { completeUpload, createUploadToken, createUploadUrl, importSource, uploadSource } from './uploads.ts'

const viewUploaded = (id: string) => ({ id, status: 'uploaded' as const })

export const uploadRoutes: Route[] = [
	serve(contract.createUploadUrl, async ({ deps, caller, params, body }) => {
		const writeOnce = body?.writeOnce ?? false
		const target = await createUploadUrl(deps, caller.org.id, params.assetId, writeOnce)
		return { data: { ...target, method: 'PUT' as const, expiresAt: iso(target.expiresAt) } }
	}),

	serve(contract.createUploadToken, async ({ deps, caller, params, body }) => ({
		data: await createUploadToken(deps, caller, params.assetId, body.fileSize),
	})),

	serve(contract.uploadSource, async ({ deps, caller, params, request }) => {
		const sourceKey = await uploadSource(deps, caller.org.id, params.assetId, request)
		return { data: { ...viewUploaded(params.assetId), sourceKey } }
	}),

	serve(contract.completeUpload, async ({ deps, caller, params }) => {
		await completeUpload(deps, caller.org.id, params.assetId)
		return { data: viewUploaded(params.assetId) }
	}),

	serve(contract.importSource, async ({ deps, caller, params, body }) => {
		await importSource(deps, caller.org.id, params.assetId, body.sourceUrl)
		return { data: viewUploaded(params.assetId) }
	}),
]

import * as contract from '#schema/contract/video/uploads.ts'
import { readContentLength } from '../../http/headers.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { readContentRange } from './chunks/content-range.ts'
import { receiveDirectChunk } from './chunks/direct-chunks.ts'
import { answerIncomplete, isComplete } from './chunks/progress.ts'
import { completeUpload, createUploadToken, createUploadUrl, importSource, uploadSource } from './uploads.ts'

const viewUploaded = (id: string) => ({ id, status: 'uploaded' as const })

export const uploadRoutes: Route[] = [
	serve(contract.createUploadUrl, async ({ deps, caller, params, body }) => {
		const writeOnce = body?.writeOnce ?? false
		const target = await createUploadUrl(deps, caller.org.id, params.assetId, writeOnce)
		return { data: { ...target, method: 'PUT' as const, expiresAt: toIso(target.expiresAt) } }
	}),

	serve(contract.createUploadToken, async ({ deps, caller, params, body }) => ({
		data: await createUploadToken(deps, caller, params.assetId, body.fileSize),
	})),

	serve(contract.uploadSource, async ({ deps, caller, params, request }) => {
		const { assetId } = params
		const range = readContentRange(request.headers, readContentLength(request.headers))
		if (!range) {
			const source = await uploadSource(deps, caller.org.id, assetId, request)
			return { data: { ...viewUploaded(assetId), ...source } }
		}
		const record = await receiveDirectChunk(deps, caller.org.id, assetId, range, request)
		if (!isComplete(record)) return answerIncomplete(record, range)
		return {
			data: { ...viewUploaded(assetId), sourceKey: record.key, sourceSizeBytes: record.offset },
		}
	}),

	serve(contract.completeUpload, async ({ deps, caller, params, body = {} }) => {
		const source = await completeUpload(deps, caller.org.id, params.assetId, body)
		return { data: { ...viewUploaded(params.assetId), ...source } }
	}),

	serve(contract.importSource, async ({ deps, caller, params, body }) => {
		await importSource(deps, caller.org.id, params.assetId, body.sourceUrl)
		return { data: viewUploaded(params.assetId) }
	}),
]

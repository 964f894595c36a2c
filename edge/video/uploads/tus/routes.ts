import * as contract from '#schema/contract/video/resumable-uploads.ts'
import { AppError } from '../../../http/errors.ts'
import { readContentLength } from '../../../http/headers.ts'
import { type Route, readHeaders, serve } from '../../../http/route.ts'
import { readChecksum } from './checksum.ts'
import {
	isTusBody,
	requireVersion,
	setProgressHeaders,
	setUploadHeaders,
	TUS_PATH,
	uploadOptions,
} from './protocol.ts'
import { appendUpload, beginUpload, endUpload, inspectUpload } from './tus.ts'

const describe = (op: Route['op']): Route => ({
	op,
	answer: async () => new Response(null, { status: 204, headers: uploadOptions }),
})

export const tusRoutes: Route[] = [
	describe(contract.describeUploads),
	describe(contract.describeUpload),

	serve(contract.beginUpload, async ({ deps, caller, request, headers }) => {
		requireVersion(request)
		const sent = readHeaders(contract.beginUpload, request)
		const record = await beginUpload(deps, caller, {
			lengthBytes: sent['Upload-Length'] ?? null,
			isDeferred: sent['Upload-Defer-Length'] !== undefined,
			metadata: sent['Upload-Metadata'],
			first: isTusBody(request) ? bodyOf(request, sent['Upload-Checksum']) : null,
		})
		setProgressHeaders(headers, record)
		headers.set('location', `${TUS_PATH}/${record.id}`)
		return undefined
	}),

	serve(contract.inspectUpload, async ({ deps, caller, params, request, headers }) => {
		requireVersion(request)
		setUploadHeaders(headers, await inspectUpload(deps, caller, params.uploadId))
		return undefined
	}),

	serve(contract.appendUpload, async ({ deps, caller, params, request, headers }) => {
		requireVersion(request)
		if (!isTusBody(request))
			throw new AppError('unsupported_media_type', `send the body as ${contract.TUS_MEDIA_TYPE}`)
		const sent = readHeaders(contract.appendUpload, request)
		const record = await appendUpload(deps, caller, params.uploadId, {
			offset: sent['Upload-Offset'],
			lengthBytes: sent['Upload-Length'] ?? null,
			...bodyOf(request, sent['Upload-Checksum']),
		})
		setProgressHeaders(headers, record)
		return undefined
	}),

	serve(contract.endUpload, async ({ deps, caller, params, request }) => {
		requireVersion(request)
		await endUpload(deps, caller, params.uploadId)
		return undefined
	}),
]

const bodyOf = (request: Request, checksum: string | undefined) => ({
	body: request.body,
	bodyBytes: readContentLength(request.headers),
	checksum: checksum === undefined ? null : readChecksum(checksum),
})

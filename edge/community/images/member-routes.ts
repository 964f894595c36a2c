import * as contract from '#schema/contract/community/member/images.ts'
import { readImage } from '../../http/body/image-body.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { imageUrlSigner } from './image-urls.ts'
import { addImage, deleteImage, describeImage, serveImage, serveImageFile } from './images.ts'
import { viewImage } from './view.ts'

export const imageRoutes: Route[] = [
	serve(contract.addPostImage, async ({ deps, caller, params, query, request }) => {
		const read = () => readImage(request, contract.MAX_IMAGE_BYTES)
		const { alt = null } = query
		const row = await addImage(deps, toViewer(caller, deps), params.postId, { alt, read })
		return viewImage(imageUrlSigner(deps, request, caller.communityId), row, false)
	}),

	serve(contract.getImage, async ({ deps, caller, params: { imageId }, query, request }) =>
		serveImage(deps, toViewer(caller, deps), { imageId, width: query.w }, request),
	),

	serve(contract.getImageFile, async ({ deps, params: { imageId }, query, request }) =>
		serveImageFile(deps, { imageId, width: query.w }, query.token, request),
	),

	serve(contract.updateImage, async ({ deps, caller, params, body, request }) => {
		const row = await describeImage(deps, toViewer(caller, deps), params.imageId, body.alt ?? null)
		return viewImage(imageUrlSigner(deps, request, caller.communityId), row, false)
	}),

	serve(contract.deleteImage, async ({ deps, caller, params }) => {
		await deleteImage(deps, toViewer(caller, deps), params.imageId)
		return { success: true as const }
	}),
]

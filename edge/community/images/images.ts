import type { ImageWidth } from '#schema/contract/kit/queries/image-width.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { answerWithImage } from '../../platform/images/image-variants.ts'
import { listImageKeys } from '../../platform/images/variant-keys.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { findPost } from '../posts/posts.ts'
import { announcePost } from '../streams/announce.ts'
import type { ImageRow } from './columns.ts'
import { readImageToken } from './image-urls.ts'
import { prepareImage } from './storable-image.ts'
import { imageStore } from './store.ts'

const imageNotFoundError = () => notFoundError('image')

/** Adds an image to a post. Reads the request body only after the permission check. */
export async function addImage(
	deps: Deps,
	viewer: Viewer,
	postId: number,
	{ alt, read }: { alt: string | null; read: () => Promise<CleanImage> },
): Promise<ImageRow> {
	const { authorId, spaceId } = await findPost(deps, viewer, postId)
	if (authorId !== viewer.userId) throw new AppError('forbidden', 'only the author of a post can add images')
	const image = await read()
	const { width, height } = image
	const { objectKey, contentType, bytes } = prepareImage(viewer.communityId, 'images', image)
	const { vault } = deps.objects
	await vault.put(objectKey, bytes, { contentType })
	try {
		const row = await imageStore(deps.db).insert(viewer, postId, {
			objectKey,
			contentType,
			width,
			height,
			alt,
		})
		if (!row) throw new AppError('conflict', 'a post can have 10 images; delete one first')
		announcePost(deps, viewer.communityId, 'updated', { spaceId, postId })
		return row
	} catch (error) {
		await vault.delete(objectKey)
		throw error
	}
}

type ImageRequest = { imageId: number; width: ImageWidth | undefined }

export async function serveImage(
	deps: Deps,
	viewer: Viewer,
	{ imageId, width }: ImageRequest,
	request: Request,
): Promise<Response> {
	const key = await imageStore(deps.db).findKey(viewer, imageId)
	const headers = { 'cache-control': 'private, max-age=300' }
	const { vault: bucket } = deps.objects
	const response = key && (await answerWithImage(deps, request, { bucket, key, width }, headers))
	if (!response) throw imageNotFoundError()
	return response
}

/** Serves an image to whoever has its URL, while its post is shown. */
export async function serveImageFile(
	deps: Deps,
	{ imageId, width }: ImageRequest,
	token: string,
	request: Request,
): Promise<Response> {
	const grant = await readImageToken(deps, imageId, token)
	const key = grant && (await imageStore(deps.db).findGrantedKey(imageId, grant))
	if (!grant || !key) throw imageNotFoundError()
	const seconds = Math.max(0, Math.floor((grant.expiresAt - deps.now) / 1000))
	const headers = {
		'cache-control': `private, max-age=${seconds}, immutable`,
		'cross-origin-resource-policy': 'cross-origin',
	}
	const { vault: bucket } = deps.objects
	const response = await answerWithImage(deps, request, { bucket, key, width }, headers)
	if (!response) throw imageNotFoundError()
	return response
}

export async function describeImage(
	deps: Deps,
	viewer: Viewer,
	imageId: number,
	alt: string | null,
): Promise<ImageRow> {
	const store = imageStore(deps.db)
	const row = await store.describe(viewer, imageId, alt)
	if (row) {
		announcePost(deps, viewer.communityId, 'updated', row)
		return row
	}
	throw (await store.isVisible(viewer, imageId))
		? new AppError('forbidden', 'only the author of the post can change the descriptions of its images')
		: imageNotFoundError()
}

export async function deleteImage(deps: Deps, viewer: Viewer, imageId: number): Promise<void> {
	const store = imageStore(deps.db)
	const removed = await store.remove(viewer, imageId)
	if (removed) {
		announcePost(deps, viewer.communityId, 'updated', removed)
		return deps.objects.vault.delete(listImageKeys(removed.key))
	}
	throw (await store.isVisible(viewer, imageId))
		? new AppError('forbidden', 'only the author of the post or a moderator can delete its images')
		: imageNotFoundError()
}

import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { answerWithObject } from '../../platform/storage/object-response.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { findPost } from '../posts/posts.ts'
import { prepareImage } from './storable-image.ts'
import { type ImageRow, imageStore } from './store.ts'

const imageNotFoundError = () => notFoundError('image')

/** Adds an image to a post. Reads the request body only after the permission check. */
export async function addImage(
	deps: Deps,
	viewer: Viewer,
	postId: number,
	read: () => Promise<CleanImage>,
): Promise<ImageRow> {
	const { authorId } = await findPost(deps, viewer, postId)
	if (authorId !== viewer.userId) throw new AppError('forbidden', 'only the author of a post can add images')
	const { objectKey, contentType, bytes } = prepareImage(viewer.communityId, 'images', await read())
	const { vault } = deps.objects
	await vault.put(objectKey, bytes, { contentType })
	try {
		const row = await imageStore(deps.db).insert(viewer, postId, { objectKey, contentType })
		if (!row) throw new AppError('conflict', 'a post can have 10 images; delete one first')
		return row
	} catch (error) {
		await vault.delete(objectKey)
		throw error
	}
}

export async function serveImage(deps: Deps, viewer: Viewer, imageId: number, request: Request) {
	const key = await imageStore(deps.db).findKey(viewer, imageId)
	const headers = { 'cache-control': 'private, max-age=300' }
	const response = key && (await answerWithObject(request, deps.objects.vault, key, headers))
	if (!response) throw imageNotFoundError()
	return response
}

export async function deleteImage(deps: Deps, viewer: Viewer, imageId: number): Promise<void> {
	const store = imageStore(deps.db)
	const key = await store.remove(viewer, imageId)
	if (key !== undefined) return deps.objects.vault.delete(key)
	throw (await store.isVisible(viewer, imageId))
		? new AppError('forbidden', 'only the author of the post or a moderator can delete its images')
		: imageNotFoundError()
}

import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { randomBase62 } from '../../platform/ids.ts'
import { identifyImage } from '../../platform/image-type.ts'
import { answerWithObject } from '../../platform/object-response.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { findPost } from '../posts/posts.ts'
import { communityFolder } from './keys.ts'
import { type ImageRow, imageStore } from './store.ts'

const noImage = () => new AppError('not_found', 'no such image')

/** What may not be put there is not read either. */
export async function addImage(
	deps: Deps,
	viewer: Viewer,
	postId: number,
	read: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<ImageRow> {
	const { authorId } = await findPost(deps, viewer, postId)
	if (authorId !== viewer.userId) throw new AppError('forbidden', 'this is the post of someone else')
	const bytes = await read()
	const type = identifyImage(bytes)
	if ('problem' in type) throw new AppError('validation', type.problem)
	const { vault } = deps.objects
	const objectKey = `${communityFolder(viewer.communityId)}images/${randomBase62(22)}.${type.extension}`
	await vault.put(objectKey, bytes, { contentType: type.contentType })
	try {
		const made = await imageStore(deps.db).insert(viewer, postId, {
			objectKey,
			contentType: type.contentType,
		})
		if (!made) throw new AppError('conflict', 'the post has ten pictures already')
		return made
	} catch (error) {
		await vault.delete(objectKey)
		throw error
	}
}

export async function answerImage(deps: Deps, viewer: Viewer, imageId: number, request: Request) {
	const key = await imageStore(deps.db).findKey(viewer, imageId)
	const labels = { 'cache-control': 'private, max-age=300' }
	const picture = key && (await answerWithObject(request, deps.objects.vault, key, labels))
	if (!picture) throw noImage()
	return picture
}

export async function deleteImage(deps: Deps, viewer: Viewer, imageId: number): Promise<void> {
	const store = imageStore(deps.db)
	const key = await store.remove(viewer, imageId)
	if (key !== undefined) return deps.objects.vault.delete(key)
	throw (await store.findKey(viewer, imageId)) === undefined
		? noImage()
		: new AppError('forbidden', 'this is the picture of someone else')
}

import { randomBase62 } from '../../platform/database/ids.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { communityFolder } from './keys.ts'

export type StorableImage = {
	objectKey: string
	/** The last part of the key: 131 random bits and the extension. */
	file: string
	contentType: string
	bytes: Uint8Array<ArrayBuffer>
}

/** Returns an image with a random object key under the prefix of its community. */
export function prepareImage(
	communityId: number,
	folder: 'images' | 'avatars',
	{ bytes, contentType, extension }: CleanImage,
): StorableImage {
	const file = `${randomBase62(22)}.${extension}`
	return { objectKey: `${communityFolder(communityId)}${folder}/${file}`, file, contentType, bytes }
}

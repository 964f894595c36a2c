import { randomBase62 } from '../../platform/database/ids.ts'
import { parseAssetId, sourcePrefix } from '../assets/storage-keys.ts'

/** Each kind of upload has its own key, so that none can overwrite the result of another. */
export const presignedKey = (assetId: string) => `${sourcePrefix(assetId)}source`
export const resumableKey = (assetId: string) => `${sourcePrefix(assetId)}resumable`
export const directKey = (assetId: string) => `${directPrefix(assetId)}${randomBase62(16)}`

const directPrefix = (assetId: string) => `${sourcePrefix(assetId)}direct-`

export const isDirectKey = (assetId: string, key: string) => key.startsWith(directPrefix(assetId))

/** Returns the asset whose source is stored at this key by presigned URL, or null for any other key. */
export function parsePresignedAssetId(key: string): string | null {
	const assetId = parseAssetId(key.replace(/source$/, ''))
	return assetId !== null && key === presignedKey(assetId) ? assetId : null
}

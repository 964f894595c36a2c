import { AppError } from '../../http/errors.ts'
import type { ObjectHead } from '../../platform/storage/bucket.ts'
import { fromBase64, toHex } from '../../platform/tokens/digest.ts'

/** What the caller knows about its uploaded file. */
export type ExpectedFile = {
	fileSize?: number | undefined
	checksum?: { algorithm: 'md5' | 'sha256'; digest: string } | undefined
}

const digestBytes = { md5: 16, sha256: 32 }

/** Throws if the stored object is another file, or if its checksum is unknown. */
export function requireSameFile(object: ObjectHead, { fileSize, checksum }: ExpectedFile): void {
	if (fileSize !== undefined && fileSize !== object.sizeBytes)
		throw new AppError(
			'conflict',
			`the stored file has ${object.sizeBytes} bytes, not ${fileSize}; PUT the whole file again`,
		)
	if (!checksum) return
	const { algorithm, digest } = checksum
	const expected = hexadecimal(digest)
	if (expected?.length !== digestBytes[algorithm] * 2)
		throw new AppError(
			'validation',
			`checksum.digest: must be the ${digestBytes[algorithm]} bytes of an ${algorithm} digest in hexadecimal digits or Base64`,
		)
	const stored = object.digests[algorithm]
	if (!stored)
		throw new AppError(
			'unprocessable',
			`checksum: the store has no ${algorithm} digest of this file; send fileSize instead`,
		)
	if (stored !== expected)
		throw new AppError('conflict', 'the checksum of the stored file differs; PUT the file again')
}

/** Returns a digest in lower-case hexadecimal digits, or null if it is malformed. */
function hexadecimal(digest: string): string | null {
	if (/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(digest)) return digest.toLowerCase()
	if (digest.length % 4 !== 0) return null
	return toHex(fromBase64(digest))
}

import type { TUS_CHECKSUMS } from '#schema/contract/video/resumable-uploads.ts'
import { AppError } from '../../../http/errors.ts'

type Algorithm = (typeof TUS_CHECKSUMS)[number]

const digestNames: Record<Algorithm, string> = { sha1: 'SHA-1', sha256: 'SHA-256', md5: 'MD5' }

/** The expected digest of a body. */
export type Checksum = { digestName: string; base64: string }

export function readChecksum(header: string): Checksum {
	const [algorithm = '', base64 = ''] = header.split(' ')
	const digestName = Object.hasOwn(digestNames, algorithm) && digestNames[algorithm as Algorithm]
	if (!digestName)
		throw new AppError(
			'validation',
			`Upload-Checksum: the algorithm must be one of ${Object.keys(digestNames).join(', ')}`,
		)
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
		throw new AppError('validation', 'Upload-Checksum: send an algorithm, a space and a digest in Base64')
	return { digestName, base64 }
}

/** Computes the digest of a body while it streams, without holding it. */
export function startDigest({ digestName, base64 }: Checksum) {
	const stream = new crypto.DigestStream(digestName)
	const writer = stream.getWriter()
	return {
		/** Once this resolves, the buffer may be reused. */
		add: (bytes: Uint8Array) => writer.write(bytes),
		async matches(): Promise<boolean> {
			await writer.close()
			return btoa(String.fromCharCode(...new Uint8Array(await stream.digest))) === base64
		},
		async drop(): Promise<void> {
			stream.digest.catch(() => undefined)
			await writer.abort().catch(() => undefined)
		},
	}
}

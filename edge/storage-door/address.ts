import type { BucketName } from '../platform/object-storage.ts'
import { encodeKey } from '../platform/presign.ts'
import { S3Refusal } from './refusal.ts'

const BUCKETS: readonly string[] = ['vault', 'media'] satisfies BucketName[]

/**
 * `/s3/{bucket}/{key}`. The key is whatever follows, decoded once; "a/b" and "a%2Fb" are the same key, as in S3.
 * `.` and `..` segments do not come here: URL parsers (the runtime's own among them) resolve them first, however they
 * are spelt, and the signature is checked for the address that is left. Behind a `%2F` they do come, and are refused.
 */
export function readAddress(pathname: string): { bucket: BucketName; key: string } {
	const [, bucket = '', raw = ''] = /^\/s3\/([^/]*)(?:\/(.*))?$/s.exec(pathname) ?? []
	if (!BUCKETS.includes(bucket)) throw new S3Refusal('NoSuchBucket', 'there is no bucket of this name')
	if (raw === '') throw new S3Refusal('NotImplemented', 'buckets themselves have no address here')
	try {
		const key = decodeURIComponent(raw)
		encodeKey(key)
		return { bucket: bucket as BucketName, key }
	} catch {
		throw new S3Refusal('InvalidURI', 'the key is not percent-encoded UTF-8, or hides a "." or ".." segment')
	}
}

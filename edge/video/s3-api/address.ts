import type { BucketName } from '../../platform/storage/bucket.ts'
import { encodeKey } from '../../platform/storage/presign.ts'
import { S3Error } from './errors.ts'

const BUCKETS: readonly string[] = ['vault', 'media'] satisfies BucketName[]

/**
 * Parses `/s3/{bucket}/{key}`. The key is decoded once; "a/b" and "a%2Fb" are the same key, as in S3. URL parsers resolve
 * plain `.` and `..` segments before this code runs, and the signature covers the resolved URL. Segments next to a `%2F`
 * are not resolved, so they are rejected here.
 */
export function parseObjectPath(pathname: string): { bucket: BucketName; key: string } {
	const [, bucket = '', raw = ''] = /^\/s3\/([^/]*)(?:\/(.*))?$/s.exec(pathname) ?? []
	if (!BUCKETS.includes(bucket)) throw new S3Error('NoSuchBucket', 'no such bucket')
	if (raw === '') throw new S3Error('NotImplemented', 'bucket operations are not supported; request a key')
	try {
		const key = decodeURIComponent(raw)
		encodeKey(key)
		return { bucket: bucket as BucketName, key }
	} catch {
		throw new S3Error('InvalidURI', 'the key must be percent-encoded UTF-8 without "." or ".." segments')
	}
}

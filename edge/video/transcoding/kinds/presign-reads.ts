import type { Deps } from '../../../platform/deps.ts'
import type { BucketName } from '../../../platform/storage/bucket.ts'

export const presignReads =
	({ objects }: Deps, bucket: BucketName, expiresSeconds: number) =>
	(keys: readonly string[]): Promise<string[]> =>
		Promise.all(
			keys.map(async (key) => (await objects.presign({ bucket, key, method: 'GET', expiresSeconds })).url),
		)

/** Lists the objects of a bucket, without those that each minute adds: heads of the audit log, and checkpoints. */
export async function storedObjects(bucket: R2Bucket): Promise<R2Object[]> {
	return (await bucket.list()).objects.filter(({ key }) => !/^(audit-heads|rewind)\//.test(key))
}

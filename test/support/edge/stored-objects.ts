/** Lists the objects of a bucket, without the heads of the audit log, which each change adds within a minute. */
export async function storedObjects(bucket: R2Bucket): Promise<R2Object[]> {
	return (await bucket.list()).objects.filter(({ key }) => !key.startsWith('audit-heads/'))
}

/**
 * The cache of this Cloudflare location (or of this machine). `deleteCached` affects only this location. Elsewhere entries
 * end by expiry, so no entry may live longer than it may be stale.
 */
const addressOf = (key: string) => `https://cache.playhouse.invalid/${key}`

export async function readCached<T>(key: string): Promise<T | null> {
	const kept = await caches.default.match(addressOf(key))
	return kept ? ((await kept.json()) as T) : null
}

export const storeCached = (key: string, value: unknown, seconds: number): Promise<void> =>
	caches.default.put(
		addressOf(key),
		Response.json(value, { headers: { 'cache-control': `public, max-age=${seconds}` } }),
	)

export async function deleteCached(key: string): Promise<void> {
	await caches.default.delete(addressOf(key))
}

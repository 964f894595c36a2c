/**
 * The cache of this Cloudflare location (or machine). `deleteCached` affects only this one. Elsewhere entries only
 * expire, so an entry's lifetime limits its staleness.
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

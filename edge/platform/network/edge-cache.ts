/**
 * The cache of this Cloudflare location (or of this machine). Forgetting reaches this location only; elsewhere what is
 * kept ends by itself, so nothing may be kept for longer than it may be wrong.
 */
const addressOf = (key: string) => `https://cache.playhouse.invalid/${key}`

export async function readCached<T>(key: string): Promise<T | null> {
	const kept = await caches.default.match(addressOf(key))
	return kept ? ((await kept.json()) as T) : null
}

export const keepCached = (key: string, value: unknown, seconds: number): Promise<void> =>
	caches.default.put(
		addressOf(key),
		Response.json(value, { headers: { 'cache-control': `public, max-age=${seconds}` } }),
	)

export async function dropCached(key: string): Promise<void> {
	await caches.default.delete(addressOf(key))
}

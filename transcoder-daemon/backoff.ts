export type Backoff = { firstMs: number; capMs: number }

/**
 * Returns a capped exponential delay with full jitter, so that machines reconnect spread out after an edge restart. A
 * tenth of the ceiling is the minimum, so that a low random number causes no busy loop.
 */
export function computeBackoffMs(
	failures: number,
	{ firstMs, capMs }: Backoff,
	random: () => number,
): number {
	const ceiling = Math.min(capMs, firstMs * 2 ** Math.min(failures, 30))
	return Math.round(ceiling * Math.max(0.1, random()))
}

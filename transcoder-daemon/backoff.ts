export type Backoff = { firstMs: number; capMs: number }

/**
 * Capped exponential backoff with full jitter: after an edge restart a thousand machines come back spread over the
 * whole interval, and not in waves. Never less than a tenth, so that a lucky zero makes no busy loop.
 */
export function backoffMs(failures: number, { firstMs, capMs }: Backoff, random: () => number): number {
	const ceiling = Math.min(capMs, firstMs * 2 ** Math.min(failures, 30))
	return Math.round(ceiling * Math.max(0.1, random()))
}

type Timer = { at: number; everyMs: number | null; call: () => void }

/** Timers for code that takes timers as an argument. Time advances only through `pass`. */
export function createHandTimers() {
	let now = 0
	const timers = new Set<Timer>()
	function add(ms: number, everyMs: number | null, call: () => void): () => void {
		const timer = { at: now + ms, everyMs, call }
		timers.add(timer)
		return () => timers.delete(timer)
	}
	return {
		after: (ms: number, call: () => void) => add(ms, null, call),
		every: (ms: number, call: () => void) => add(ms, ms, call),
		count: () => timers.size,
		pass(ms: number): void {
			const end = now + ms
			for (;;) {
				const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
				if (!next) break
				now = next.at
				if (next.everyMs === null) timers.delete(next)
				else next.at += next.everyMs
				next.call()
			}
			now = end
		},
	}
}

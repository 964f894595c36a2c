const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs `stop` on the first signal and `forceStop` on each further one. Must be called after Miniflare has started:
 * Miniflare also handles signals and would end the process at once, with its own exit code. Returns a function that ends
 * the process in the same way because of a failure.
 */
export function endOnSignal(stop: () => Promise<void>, forceStop: () => void): () => Promise<void> {
	let isEnding = false
	const endWith = async (code: number) => {
		if (isEnding) return forceStop()
		isEnding = true
		try {
			await stop()
			process.exit(code)
		} catch (error) {
			console.error(error)
			process.exit(1)
		}
	}
	const end = () => endWith(0)
	for (const signal of signals) process.removeAllListeners(signal).on(signal, end)
	// The parent (bootstrap.mjs) was killed, so nothing else would stop this process.
	process.once('disconnect', end)
	if (process.send && !process.connected) void end()
	return () => endWith(1)
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs `stop` once when the process is told to end, and `hurry` when it is told again. To be called when Miniflare
 * is up: it listens for signals too and would end the process at once, with an exit code of its own.
 */
export function endOnSignal(stop: () => Promise<void>, hurry: () => void): void {
	let ending = false
	const end = async () => {
		if (ending) return hurry()
		ending = true
		try {
			await stop()
			process.exit(0)
		} catch (error) {
			console.error(error)
			process.exit(1)
		}
	}
	for (const signal of signals) process.removeAllListeners(signal).on(signal, end)
	// The bootstrap has been killed: nobody would be left to stop us.
	process.once('disconnect', end)
	if (process.send && !process.connected) void end()
}

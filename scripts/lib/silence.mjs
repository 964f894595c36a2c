// Also imported by bootstrap.mjs, which runs on any Node from 18 on.

/** Without a network, installers say nothing until their timeout. */
const SAY_AFTER_MS = 3_000

/**
 * Prints `hint` once, unless something arrives from the network soon, or at once when a download fails.
 */
export function explainSilence(hint, print = console.error, afterMs = SAY_AFTER_MS) {
	const timer = setTimeout(() => say('nothing has arrived from the network yet'), afterMs)
	let isDone = false
	const end = () => {
		isDone = true
		clearTimeout(timer)
	}
	function say(reason) {
		if (!isDone) print(`${reason}; ${hint}`)
		end()
	}
	return { arrived: end, failed: (reason) => say(`a download failed (${reason})`), end }
}

import { readdir, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const GRACE_MS = 5_000
const POLL_MS = 100

/**
 * Ends processes that the tests of a run left running, and returns their command lines. A process belongs to the run if
 * it inherited the variable with its directory. Without /proc, nothing is found.
 */
export async function endRemainingProcesses(directory: string, graceMs = GRACE_MS): Promise<string[]> {
	let left = await processesOf(directory)
	// A program may take a moment to end after the test that told it to.
	for (const until = Date.now() + graceMs; left.length > 0 && Date.now() < until; ) {
		await setTimeout(POLL_MS)
		left = await processesOf(directory)
	}
	for (const { pid } of left) {
		try {
			process.kill(pid, 'SIGKILL')
		} catch {
			// It has just ended.
		}
	}
	return left.map(({ command }) => command)
}

async function processesOf(directory: string): Promise<{ pid: number; command: string }[]> {
	const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
	const found = await Promise.all(
		pids.map(async (pid) => {
			const [environment, command] = await Promise.all([readText(pid, 'environ'), readText(pid, 'cmdline')])
			const isOfRun = environment.split('\0').includes(`TEST_RUN_DIRECTORY=${directory}`)
			return isOfRun ? [{ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() }] : []
		}),
	)
	return found.flat()
}

/** A process may have ended, or belong to somebody else. */
const readText = (pid: string, name: string): Promise<string> =>
	readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')

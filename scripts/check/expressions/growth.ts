import { parentPort, workerData } from 'node:worker_threads'

// The native builds of recheck would have to be installed for each system.
process.env.RECHECK_BACKEND = 'pure'

/** How the time of an expression grows with its input; null if linearly. */
export type Growth = { text: string; problem: string | null }

const TIMEOUT_MS = 120_000
/** Makes the verdict the same each time. */
const SEED = 1

/** Searches for a text with superlinear matching time. */
export async function judgeGrowth(text: string): Promise<Growth> {
	const { checkSync } = await import('recheck')
	const end = text.lastIndexOf('/')
	const verdict = checkSync(text.slice(1, end), text.slice(end + 1), {
		timeout: TIMEOUT_MS,
		randomSeed: SEED,
	})
	// Results of fuzzing depend on the machine's load. They concern expressions with lookarounds.
	if (verdict.status === 'safe' || verdict.checker === 'fuzz') return { text, problem: null }
	if (verdict.status === 'unknown') return { text, problem: `can't be judged (${verdict.error.kind})` }
	return {
		text,
		problem: `takes ${verdict.complexity.summary} time, as for ${verdict.attack.pattern}; write it so that it takes linear time`,
	}
}

if (parentPort) {
	const growths: Growth[] = []
	for (const text of workerData as string[]) growths.push(await judgeGrowth(text))
	parentPort.postMessage(growths)
}

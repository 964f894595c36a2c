import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { usedByEnded, watchProcess } from './processes.ts'

export type Timed = { seconds: number; cpuSec: number; peakBytes: number }

/** Runs ffmpegs one after the other, and says how long all took and what the largest held. */
export async function runAll(commands: readonly (readonly string[])[]): Promise<Timed> {
	const startedAt = performance.now()
	const usedBefore = usedByEnded()
	let peakBytes = 0
	for (const args of commands) peakBytes = Math.max(peakBytes, await run(args))
	return {
		seconds: (performance.now() - startedAt) / 1_000,
		cpuSec: usedByEnded() - usedBefore,
		peakBytes,
	}
}

async function run(args: readonly string[]): Promise<number> {
	const child = spawn('ffmpeg', ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args], {
		stdio: ['ignore', 'ignore', 'pipe'],
	})
	let complaints = ''
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		complaints += text
	})
	using watch = watchProcess(child.pid ?? 0)
	const [code] = await once(child, 'exit')
	if (code !== 0) throw new Error(`ffmpeg ended with ${code}: ${complaints.slice(0, 2_000)}`)
	return watch.peakBytes()
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type MemoryWatch, watchMemory } from './memory.ts'

export type Timed = { seconds: number; peakBytes: number }

/** Runs ffmpegs one after the other, and says how long all took and what the largest held. */
export async function runAll(commands: readonly (readonly string[])[]): Promise<Timed> {
	const startedAt = performance.now()
	let peakBytes = 0
	for (const args of commands) peakBytes = Math.max(peakBytes, await run(args))
	return { seconds: (performance.now() - startedAt) / 1_000, peakBytes }
}

async function run(args: readonly string[]): Promise<number> {
	const child = spawn('ffmpeg', ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args], {
		stdio: ['ignore', 'ignore', 'pipe'],
	})
	let complaints = ''
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		complaints += text
	})
	using watch: MemoryWatch = watchMemory(child.pid ?? 0)
	const [code] = await once(child, 'exit')
	if (code !== 0) throw new Error(`ffmpeg ended with ${code}: ${complaints.slice(0, 2_000)}`)
	return watch.peakBytes()
}

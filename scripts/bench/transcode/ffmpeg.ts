import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readEndedChildrenCpuSeconds, watchProcess } from './processes.ts'

export type Timed = { seconds: number; cpuSec: number; peakBytes: number }

/** Runs ffmpeg commands one after the other; returns the total time and the largest peak memory. */
export const runAll = (commands: readonly (readonly string[])[]): Promise<Timed> =>
	timed(async () => {
		let peakBytes = 0
		for (const args of commands) peakBytes = Math.max(peakBytes, await run(['ffmpeg'], args))
		return peakBytes
	})

/** Runs ffmpeg commands in parallel, each on its own core. */
export const runOnCores = (commands: readonly (readonly string[])[]): Promise<Timed> =>
	timed(async () => {
		const peaks = await Promise.all(commands.map((args, core) => run([...pinToCore(core), 'ffmpeg'], args)))
		return Math.max(...peaks)
	})

/** Returns a command prefix that pins a program to one core. */
export const pinToCore = (core: number): string[] => ['taskset', '-c', `${core}`]

async function timed(work: () => Promise<number>): Promise<Timed> {
	const startedAt = performance.now()
	const usedBefore = readEndedChildrenCpuSeconds()
	const peakBytes = await work()
	return {
		seconds: (performance.now() - startedAt) / 1_000,
		cpuSec: readEndedChildrenCpuSeconds() - usedBefore,
		peakBytes,
	}
}

async function run([program = '', ...before]: readonly string[], args: readonly string[]): Promise<number> {
	const child = spawn(program, [...before, '-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args], {
		stdio: ['ignore', 'ignore', 'pipe'],
	})
	let stderr = ''
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text
	})
	using watch = watchProcess(child.pid ?? 0)
	const [code] = await once(child, 'exit')
	if (code !== 0) throw new Error(`ffmpeg ended with ${code}: ${stderr.slice(0, 2_000)}`)
	return watch.peakBytes()
}

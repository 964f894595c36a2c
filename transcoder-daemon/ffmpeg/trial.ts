import { readdir } from 'node:fs/promises'
import { execa } from 'execa'

/** A driver that starts takes a second or two; one that hangs would take for ever. */
export const TRIAL_MS = 15_000

/** SVT-AV1 tells of itself at length otherwise, and only here can it be told not to: complaints alone. */
export const quietEnv = { SVT_LOG: '1' } as const

export type Outcome = {
	proved: boolean
	/** It had to be killed. */
	hung: boolean
	ms: number
	/** Why not, in ffmpeg's words. */
	reason: string | null
}

export type Expectation = {
	frames: number
	signal: AbortSignal
	trialMs: number
	/** For ffmpeg's standard input. */
	input?: Uint8Array
}

/** Whether so many frames come out. ffmpeg must tell its progress on standard output. */
export async function tryFrames(
	ffmpeg: string,
	args: readonly string[],
	{ frames, signal, trialMs, input }: Expectation,
): Promise<Outcome> {
	const run = await execa(ffmpeg, args, {
		reject: false,
		...(input ? { input } : { stdin: 'ignore' }),
		timeout: trialMs,
		// A driver that hangs does not listen to anything milder.
		killSignal: 'SIGKILL',
		cancelSignal: signal,
		maxBuffer: 1_000_000,
		env: quietEnv,
	})
	signal.throwIfAborted()
	const reason = run.timedOut ? `hung for ${trialMs / 1_000} s` : reasonAgainst(run, frames)
	return { proved: reason === null, hung: run.timedOut, ms: Math.round(run.durationMs), reason }
}

type Run = { stdout: string; stderr: string; exitCode?: number | undefined; failed: boolean }

/** The status alone proves nothing: ffmpeg has ended with 0 and without a single frame. */
function reasonAgainst({ stdout, stderr, exitCode, failed }: Run, expected: number): string | null {
	if (failed) return firstLine(stderr) ?? (exitCode === undefined ? 'died' : `ended with status ${exitCode}`)
	const frames = Number([...stdout.matchAll(/^frame=\s*(\d+)/gm)].at(-1)?.[1] ?? 0)
	return frames === expected ? null : `made ${frames} of ${expected} frames`
}

/** The first complaint names the cause; those after it only say that everything failed. */
function firstLine(text: string): string | undefined {
	const line = text.split('\n').find((line) => line.trim())
	return line
		?.replace(/^\[\S+ @ 0x[0-9a-f]+\] /, '')
		.trim()
		.slice(0, 200)
}

export async function listRenderNodes(): Promise<string[]> {
	const names = await readdir('/dev/dri').catch(() => [])
	return names.filter((name) => name.startsWith('renderD')).map((name) => `/dev/dri/${name}`)
}

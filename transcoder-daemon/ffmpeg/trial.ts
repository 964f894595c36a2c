import { readdir } from 'node:fs/promises'
import { execa } from 'execa'

/** A working driver starts in a second or two; a hanging one never does. */
export const TRIAL_MS = 15_000

/** SVT-AV1 prints its settings at length, and only this variable limits it to errors. */
export const quietEnv = { SVT_LOG: '1' } as const

export type TrialOutcome = {
	proved: boolean
	/** Whether the trial had to be killed. */
	hung: boolean
	ms: number
	/** ffmpeg's error; null on success. */
	reason: string | null
}

export type Expectation = {
	frames: number
	signal: AbortSignal
	trialMs: number
	/** Standard input of ffmpeg. */
	input?: Uint8Array
}

/** Runs ffmpeg and checks the number of frames. It must report its progress on standard output. */
export async function tryFrames(
	ffmpeg: string,
	args: readonly string[],
	{ frames, signal, trialMs, input }: Expectation,
): Promise<TrialOutcome> {
	const run = await execa(ffmpeg, args, {
		reject: false,
		...(input ? { input } : { stdin: 'ignore' }),
		timeout: trialMs,
		// A hanging driver ignores milder signals.
		killSignal: 'SIGKILL',
		cancelSignal: signal,
		maxBuffer: 1_000_000,
		env: quietEnv,
	})
	signal.throwIfAborted()
	const reason = run.timedOut ? `hung for ${trialMs / 1_000} s` : failureReason(run, frames)
	return { proved: reason === null, hung: run.timedOut, ms: Math.round(run.durationMs), reason }
}

type Run = { stdout: string; stderr: string; exitCode?: number | undefined; failed: boolean }

/**
 * Returns why a trial failed, or null. The status alone proves nothing: ffmpeg has exited with 0 without a single
 * frame.
 */
function failureReason({ stdout, stderr, exitCode, failed }: Run, expected: number): string | null {
	if (failed) return firstLine(stderr) ?? (exitCode === undefined ? 'died' : `ended with status ${exitCode}`)
	const frames = Number([...stdout.matchAll(/^frame=\s*(\d+)/gm)].at(-1)?.[1] ?? 0)
	return frames === expected ? null : `made ${frames} of ${expected} frames`
}

/** Returns the first error, which names the cause; later ones only say that everything failed. */
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

import { describeReason } from '../log.ts'
import type { Programs } from '../tasks/task.ts'
import { ProgramError, ProgramTimeoutError, runFfmpeg } from './run.ts'

/** A working driver starts in a second or two; a hanging one never does. */
export const TRIAL_MS = 15_000

export type TrialOutcome = {
	proved: boolean
	/** Whether the trial hung and was killed. */
	hung: boolean
	ms: number
	/** ffmpeg's error; null on success. */
	reason: string | null
}

export type TrialDeps = {
	/** Runs in the sandbox, where drivers may fail that work outside it. All graphics cards are visible. */
	programs: Programs
	/** Trials that run at the same time share it. */
	workDir: string
	signal: AbortSignal
	trialMs?: number
}

/** Runs ffmpeg and checks the number of frames. The status alone proves nothing: it was 0 without a single frame. */
export async function tryFrames(
	args: readonly string[],
	expected: number,
	{ programs, workDir, signal, trialMs = TRIAL_MS }: TrialDeps,
): Promise<TrialOutcome> {
	const startedAt = performance.now()
	const outcome = (reason: string | null, hung = false): TrialOutcome => ({
		proved: reason === null,
		hung,
		ms: Math.round(performance.now() - startedAt),
		reason,
	})
	try {
		const launch = { programs, args, access: { workDir, readable: [] }, signal, timeoutMs: trialMs }
		const { progress } = await runFfmpeg(launch, async () => {})
		return outcome(progress.frames === expected ? null : `made ${progress.frames} of ${expected} frames`)
	} catch (error) {
		signal.throwIfAborted()
		if (error instanceof ProgramTimeoutError) return outcome(`hung for ${trialMs / 1_000} s`, true)
		return outcome((error instanceof ProgramError && firstLine(error.stderr)) || describeReason(error))
	}
}

/** Returns the first error, which names the cause; later ones only say that everything failed. */
function firstLine(text: string): string | undefined {
	const line = text.split('\n').find((line) => line.trim())
	return line
		?.replace(/^\[\S+ @ 0x[0-9a-f]+\] /, '')
		.trim()
		.slice(0, 200)
}

import { TemporaryError } from './failure.ts'
import { StoppingError } from './task-run.ts'

/** The rest is for the system, the daemon and estimation errors. */
const SHARE_OF_TASKS = 0.8

/**
 * `later`: memory is free once another task ends. `never`: the machine is too small. A task that fits into the machine
 * may always run alone, even above the share of tasks.
 */
export type Verdict = 'now' | 'later' | 'never'

export function requireMemory(neededBytes: number, runningBytes: number, machineBytes: number): Verdict {
	if (neededBytes > machineBytes) return 'never'
	if (runningBytes === 0) return 'now'
	return runningBytes + neededBytes <= machineBytes * SHARE_OF_TASKS ? 'now' : 'later'
}

/** Other tasks occupy the memory; another machine may have it free. */
export class MemoryTakenError extends StoppingError {
	override name = 'MemoryTakenError'
	constructor(neededBytes: number) {
		super(`the task needs about ${gigabytes(neededBytes)} of memory, which other tasks use`)
	}
}

/** The machine has less memory than the task needs. */
export class TooLittleMemoryError extends TemporaryError {
	override name = 'TooLittleMemoryError'
	constructor(neededBytes: number, machineBytes: number) {
		super(
			`this video needs a machine with about ${gigabytes(neededBytes)} of memory; one with ${gigabytes(machineBytes)} returned it`,
		)
	}
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

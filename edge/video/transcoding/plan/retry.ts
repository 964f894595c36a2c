import { MINUTE, SECOND } from '../../../platform/clock.ts'

/** After this many charged claims a task fails its job. */
export const MAX_ATTEMPTS = 4
/** After this many expired leases, the task is assumed to crash machines. */
export const MAX_EXPIRIES = 3
/** How often a finished task may run again because its output does not match the others. */
export const MAX_REDONE = 2

const BASE_MS = 10 * SECOND
const MAX_MS = 10 * MINUTE

/** Uses full jitter, so that tasks that failed together don't retry together. `random` is from 0 to 1. */
export const backoffMs = (attempts: number, random: number): number =>
	Math.round(Math.min(BASE_MS * 2 ** attempts, MAX_MS) * random)

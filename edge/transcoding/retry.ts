import { MINUTE, SECOND } from '../platform/clock.ts'

/** Claims that count, after which a task that always fails ends its job. */
export const MAX_ATTEMPTS = 4
/** Leases that ran out, after which a task is taken to be what brings machines down. */
export const MAX_EXPIRIES = 3
/** Times that a finished task is made again because it does not fit the others. */
export const MAX_REDONE = 2

const BASE_MS = 10 * SECOND
const MOST_MS = 10 * MINUTE

/** Full jitter: machines that failed together do not come back together. `random` is from 0 to 1. */
export const backoffMs = (attempts: number, random: number): number =>
	Math.round(Math.min(BASE_MS * 2 ** attempts, MOST_MS) * random)

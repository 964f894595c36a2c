import { MINUTE, SECOND } from '../../../platform/clock.ts'

/** After this many charged claims a task fails its job. */
export const MAX_ATTEMPTS = 4
/** After this many expired leases, the task is assumed to crash machines. */
export const MAX_EXPIRIES = 3
/** How often a finished task may run again because its output does not match the others. */
export const MAX_REDONE = 2
/** Before full jitter, so that tasks that failed together don't retry together. */
export const RETRY = { firstMs: 10 * SECOND, maxMs: 10 * MINUTE }

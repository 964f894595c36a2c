import { SECOND } from '../../../platform/clock.ts'

/** The platform may end an object that was idle for ten seconds, which loses its memory. */
export const FLUSH_MS = 8 * SECOND

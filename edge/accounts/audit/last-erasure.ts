import type { Deps } from '../../platform/deps.ts'

/**
 * Returns when the last run that erases an account began, in milliseconds since 1970, or null before the first one. The
 * time must not come from the database: whoever can write to it could excuse a person removed by hand.
 */
export type ReadLastErasure = (deps: Deps) => Promise<number | null>

declare module '../../platform/deps.ts' {
	interface Contributions {
		readLastErasure: ReadLastErasure
	}
}

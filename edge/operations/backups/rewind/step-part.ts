import type { Deps } from '../../../platform/deps.ts'
import type { Repair } from './repair-store.ts'

/** Runs one part of a step. Returns the cursor of the next part, or null after the last, and the number of changes. */
export type StepPart = (
	deps: Deps,
	repair: Repair,
	cursor: string | null,
) => Promise<{ cursor: string | null; changed: number }>

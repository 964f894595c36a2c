import type { Deps } from '../../../platform/deps.ts'
import type { Repair } from './repair-store.ts'

/** Does a part of a step. Returns where the next part begins, or null after the last, and how much was changed. */
export type StepPart = (
	deps: Deps,
	repair: Repair,
	cursor: string | null,
) => Promise<{ cursor: string | null; changed: number }>

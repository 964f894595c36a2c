import type { TestOptions } from 'vitest'
import type {} from '../../../scripts/test/task-meta.ts'

/** Skips a test or a suite if one of its requirements is missing; the summary prints the reason. */
export function needs(requirements: Record<string, unknown>): TestOptions {
	const missing = Object.keys(requirements).filter((name) => !requirements[name])
	return missing.length > 0 ? { skip: true, meta: { skipReason: `needs ${missing.join(' and ')}` } } : {}
}

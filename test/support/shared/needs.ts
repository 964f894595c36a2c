import type { TestOptions } from 'vitest'
import type {} from '../../../scripts/test/task-meta.ts'

/** For a test or a suite that can't run without these; one that is missing skips it, and the summary says why. */
export function needs(requirements: Record<string, unknown>): TestOptions {
	const missing = Object.keys(requirements).filter((name) => !requirements[name])
	return missing.length > 0 ? { skip: true, meta: { skipReason: `needs ${missing.join(' and ')}` } } : {}
}

import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import type {} from '../../../scripts/test/task-meta.ts'
import './source-maps.ts'
import { takeNewStatements } from './statement-record.ts'

// A fixed seed, as the statements that random inputs cause are compared between two databases. The long form compares none.
if (!env.PROPERTY_RUNS_FACTOR) fc.configureGlobal({ seed: 1 })

// Vitest reads the names of a hook's fixtures from its first parameter, so it must be a pattern.
// biome-ignore lint/correctness/noEmptyPattern: no fixture is needed
afterAll(({}, file) => {
	file.meta.newStatements = takeNewStatements()
})

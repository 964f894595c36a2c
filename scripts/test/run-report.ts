import { readFile } from 'node:fs/promises'
import type { RunReport } from './summary.ts'

/** Options of vitest. The second reporter writes a report to TEST_REPORT_PATH. */
export const reporters = ['--reporter=default', '--reporter=./scripts/test/run-reporter.ts'] as const

/** Returns the report of a run, or undefined if vitest has not written it. */
export const readReport = (path: string): Promise<RunReport | undefined> =>
	readFile(path, 'utf8').then(JSON.parse, () => undefined)

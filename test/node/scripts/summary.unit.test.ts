import { expect, test } from 'vitest'
import { isRuntimeNoise } from '../../../scripts/test/runtime-noise.ts'
import { normalizeStatement, statementsMissingOnLibsql } from '../../../scripts/test/statement-coverage.ts'
import {
	countTests,
	describeSkipped,
	describeSlowest,
	type RunReport,
} from '../../../scripts/test/summary.ts'

const report = (changes: Partial<RunReport> = {}): RunReport => ({
	passed: 3,
	failed: 0,
	failedOutsideTests: 0,
	skipped: [],
	files: [],
	statements: {},
	...changes,
})

test('passed, failed and skipped tests are counted', () => {
	const skipped = [{ file: 'a.test.ts', reason: 'needs ffmpeg' }]
	expect(countTests(report({ failed: 1, skipped }), 1)).toEqual({ passed: 3, failed: 1, skipped: 1 })
})

test('a file that cannot be loaded counts as a failure', () => {
	expect(countTests(report({ failedOutsideTests: 1 }), 1).failed).toBe(1)
})

test('an exit code without a failed test counts as a failure', () => {
	expect(countTests(report(), 1).failed).toBe(1)
})

test('a run without a report is a failure', () => {
	expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('the slowest ten files are shown, slowest first', () => {
	const files = Array.from({ length: 12 }, (_, i) => ({ name: `node: ${i}.test.ts`, seconds: i }))
	const lines = describeSlowest(files)
	expect(lines).toHaveLength(11)
	expect(lines[1]).toBe('    11.0 s  node: 11.test.ts')
	expect(lines.at(-1)).toBe('     2.0 s  node: 2.test.ts')
})

test('skipped tests are shown by file and reason', () => {
	const skipped = ['needs ffmpeg', 'needs ffmpeg', 'needs Chromium'].map((reason) => ({
		file: 'a.test.ts',
		reason,
	}))
	expect(describeSkipped(skipped)).toEqual([
		'Skipped:',
		'       2  a.test.ts: needs ffmpeg',
		'       1  a.test.ts: needs Chromium',
	])
})

test('a statement that D1 saw and libSQL did not is missing', () => {
	const statements = { edge: ['select 1', 'select 2'], 'edge-libsql': ['select 2', 'select 3'] }
	expect(statementsMissingOnLibsql(statements)).toEqual(['select 1'])
})

test('statements that differ in their values alone are one statement', () => {
	const first = normalizeStatement("insert into a values (?1, 'it''s', 7), (?2, 'b', 1.5)")
	expect(normalizeStatement('insert into a\n values (?, ?, ?), (?, ?, ?), (?, ?, ?)')).toBe(first)
	expect(normalizeStatement('select x from a where id in (?, ?)')).toBe(
		normalizeStatement('select x from a where id in (?, ?, ?)'),
	)
	expect(normalizeStatement('select y from a')).not.toBe(normalizeStatement('select x from a'))
})

test('a line of the Worker or of a test is no noise of the runtime', () => {
	for (const line of [
		'[mf:error] AssertionError: false == true',
		'    at assert (node-internal:internal_assert:49:15)',
		'npm warn Unknown user config "nodedir".',
	])
		expect(isRuntimeNoise(line), line).toBe(true)
	for (const line of [
		'Error: the Worker failed',
		'    at createAsset (/home/me/playhouse/edge/assets/assets.ts:1:1)',
		'[mf:error] Error: the Worker failed',
		'',
	])
		expect(isRuntimeNoise(line), line).toBe(false)
})

import { expect, test } from 'vitest'
import { noiseFilter } from '../../../scripts/test/runtime-noise.ts'
import { normalizeStatement, statementProblems } from '../../../scripts/test/statement-coverage.ts'
import {
	countOnlyOnD1,
	countTests,
	describeCosts,
	describeSkipped,
	filesWithoutReason,
	type RunReport,
} from '../../../scripts/test/summary.ts'

const report = (changes: Partial<RunReport> = {}): RunReport => ({
	passed: 3,
	failed: 0,
	failedOutsideTests: 0,
	skipped: [],
	onlyOnD1: 0,
	files: [],
	statements: {},
	...changes,
})

test('the test summary counts passed, failed and skipped tests', () => {
	const skipped = [{ file: 'a.test.ts', reason: 'needs ffmpeg' }]
	expect(countTests(report({ failed: 1, skipped }), 1)).toEqual({ passed: 3, failed: 1, skipped: 1 })
})

test('the test summary counts a file that cannot be loaded as a failure', () => {
	expect(countTests(report({ failedOutsideTests: 1 }), 1).failed).toBe(1)
})

test('the test summary counts an exit code without a failed test as a failure', () => {
	expect(countTests(report(), 1).failed).toBe(1)
})

test('the test summary counts a run without a report as a failure', () => {
	expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('the test summary lists the CPU time of each project, and the 15 files that take the most', () => {
	const costs = (cpuOf: (i: number) => number) =>
		Array.from({ length: 20 }, (_, i) => ({
			project: i % 2 ? 'node' : 'unit',
			path: `${i}.test.ts`,
			seconds: i,
			cpuSeconds: cpuOf(i),
		}))
	const lines = describeCosts(costs((i) => 100 - i))
	expect(lines).toHaveLength(19)
	expect(lines[1]).toBe('   910.0 s CPU     90.0 s  unit')
	expect(lines[4]).toBe('   100.0 s CPU      0.0 s  unit: 0.test.ts')
	expect(lines.at(-1)).toBe('    86.0 s CPU     14.0 s  unit: 14.test.ts')
	expect(describeCosts(costs(() => 0))[4]).toBe('     0.0 s CPU     19.0 s  node: 19.test.ts')
	expect(describeCosts([])).toEqual([])
})

test('npm test -- --times lists every file, most CPU time first', () => {
	const files = Array.from({ length: 20 }, (_, i) => ({
		project: 'unit',
		path: `${i}.test.ts`,
		seconds: 1,
		cpuSeconds: i,
	}))
	const lines = describeCosts(files, true)
	expect(lines).toHaveLength(23)
	expect(lines[3]).toBe('    19.0 s CPU      1.0 s  unit: 19.test.ts')
	expect(lines.at(-1)).toBe('     0.0 s CPU      1.0 s  unit: 0.test.ts')
})

test('the test summary lists skipped tests by file and reason', () => {
	const skipped = ['needs ffmpeg', 'needs ffmpeg', 'needs Chromium'].map((reason) => ({
		file: 'a.test.ts',
		reason,
	}))
	expect(describeSkipped({ skipped, onlyOnD1: 397 })).toEqual([
		'Skipped:',
		'       2  a.test.ts: needs ffmpeg',
		'       1  a.test.ts: needs Chromium',
		'     397  on libSQL, not counted below: tag d1; npm run prove -- libsql runs them',
	])
	expect(describeSkipped({ skipped: [], onlyOnD1: 0 })).toEqual([])
	const others = [{ file: 'a.test.ts', reason: 'no reason given' }]
	expect(describeSkipped({ skipped: others, onlyOnD1: 397 }, true)).toEqual([])
})

test('the test summary counts statements that ran on D1 only where libSQL was requested', () => {
	expect(countOnlyOnD1(10, 7)).toBe(3)
	expect(countOnlyOnD1(10, 0)).toBe(10)
	expect(countOnlyOnD1(0, 7)).toBe(0)
	expect(countOnlyOnD1(10, null)).toBe(0)
})

test('the test summary names each file with a test skipped without a reason, unless something failed', () => {
	const skipped = ['needs ffmpeg', 'no reason given', 'no reason given'].map((reason, number) => ({
		file: number === 0 ? 'a.test.ts' : 'b.test.ts',
		reason,
	}))
	expect(filesWithoutReason(report({ skipped }))).toEqual(['b.test.ts'])
	expect(filesWithoutReason(report({ skipped, failedOutsideTests: 1 }))).toEqual([])
})

const many = Array.from({ length: 1_000 }, (_, i) => `select column${i}`)

test('the test summary reports a statement that ran on D1 but not on libSQL', () => {
	const statements = { edge: [...many, 'select 1'], 'edge-libsql': [...many, 'select 2'] }
	expect(statementProblems(statements)).toEqual([
		'sent to D1, never to libSQL (take the tag d1 from a test that sends it): select 1',
	])
	expect(statementProblems({ edge: many, 'edge-libsql': many })).toEqual([])
})

test('the test summary reports a run that recorded too few statements', () => {
	expect(statementProblems({})).toEqual(['only 0 statements were recorded on D1'])
})

test('the test summary treats statements that differ only in values as equal', () => {
	const first = normalizeStatement("insert into a values (?1, 'it''s', 7), (?2, 'b', 1.5)")
	expect(normalizeStatement('insert into a\n values (?, ?, ?), (?, ?, ?), (?, ?, ?)')).toBe(first)
	expect(normalizeStatement('insert into a values (?, ?, ?)')).toBe(first)
	for (const list of ['(?)', '(?, ?)', '(?, ?, ?)'])
		expect(normalizeStatement(`select x from a where id in ${list}`)).toBe('select x from a where id in (?)')
	const dropped = (id: string) => normalizeStatement(`drop trigger "playhouse_backup_bkp_${id}_users_update"`)
	expect(dropped('01yb90mfg21q5hh0fdrgev7328')).toBe(dropped('01yb90mfg4qr8hh0fdrgev7329'))
	expect(normalizeStatement('select y from a')).not.toBe(normalizeStatement('select x from a'))
})

test('the test output hides noise of the runtime, even in color, but no output of the Worker', () => {
	const isShown = noiseFilter()
	const shown = [
		'\u001b[31m[mf:error] AssertionError: false == true\u001b[39m',
		'    at assert (node-internal:internal_assert:49:15)',
		'Error: the Worker failed',
		'    at createAsset (/home/me/playhouse/edge/assets/assets.ts:1:1)',
		'npm warn Unknown user config "nodedir".',
		'[mf:error] Error: the Worker failed',
	].filter(isShown)
	expect(shown).toEqual([
		'Error: the Worker failed',
		'    at createAsset (/home/me/playhouse/edge/assets/assets.ts:1:1)',
		'[mf:error] Error: the Worker failed',
	])
})

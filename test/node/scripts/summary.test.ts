import { expect, test } from 'vitest'
import { countTests, type Report } from '../../../scripts/test/summary.ts'

const report = (changes: Partial<Report> = {}): Report => ({
	numPassedTests: 3,
	numFailedTests: 0,
	numPendingTests: 0,
	numTodoTests: 0,
	testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
	...changes,
})

test('passed, failed and skipped tests are counted', () => {
	const counted = countTests(report({ numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 }), 1)
	expect(counted).toEqual({ passed: 3, failed: 1, skipped: 3 })
})

test('a file that cannot be loaded counts as a failure', () => {
	const testResults = [{ status: 'failed', assertionResults: [] }]
	expect(countTests(report({ testResults }), 1).failed).toBe(1)
})

test('an error outside of tests counts as a failure', () => {
	expect(countTests(report(), 1).failed).toBe(1)
})

test('a run without a report is a failure', () => {
	expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

/** What is used of vitest's JSON report. */
export type Report = {
	numPassedTests: number
	numFailedTests: number
	numPendingTests: number
	numTodoTests: number
	testResults: { status: string; assertionResults: { status: string }[] }[]
}

export type Counts = { passed: number; failed: number; skipped: number }

/** Nothing that went wrong may look like success: a file that cannot be loaded or an error outside of tests is a failure. */
export function countTests(report: Report | undefined, exitCode: number): Counts {
	if (!report) return { passed: 0, failed: 1, skipped: 0 }
	const brokenFiles = report.testResults.filter(
		({ status, assertionResults }) =>
			status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
	).length
	const failed = report.numFailedTests + brokenFiles
	return {
		passed: report.numPassedTests,
		failed: failed === 0 && exitCode !== 0 ? 1 : failed,
		skipped: report.numPendingTests + report.numTodoTests,
	}
}

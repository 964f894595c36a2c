/** Results of a vitest run. */
export type RunReport = {
	passed: number
	failed: number
	/** Files that can't be loaded, hooks that failed, and uncaught errors. */
	failedOutsideTests: number
	skipped: SkippedTest[]
	/** Tests of the Worker that did not run again on libSQL. */
	onlyOnD1: number
	files: FileCost[]
	/** Statements that the Worker sent to its database, by project. */
	statements: Record<string, string[]>
}

/** `cpuSeconds` is 0 if unknown. */
export type FileCost = { project: string; path: string; seconds: number; cpuSeconds: number }

export type SkippedTest = { file: string; reason: string }

export type Counts = { passed: number; failed: number; skipped: number }

/** Counts the tests that ran on D1 only. `onLibsql` is null if libSQL was not asked for. */
export const countOnlyOnD1 = (onD1: number, onLibsql: number | null): number =>
	onLibsql === null ? 0 : Math.max(0, onD1 - onLibsql)

/** The reason of a test that names none. */
export const NO_REASON = 'no reason given'

const FILES_SHOWN = 15

/** Counts tests. A file that can't be loaded, or an error outside of tests, counts as a failed test. */
export function countTests(report: RunReport | undefined, exitCode: number): Counts {
	if (!report) return { passed: 0, failed: 1, skipped: 0 }
	const failed = report.failed + report.failedOutsideTests
	return {
		passed: report.passed,
		failed: failed === 0 && exitCode !== 0 ? 1 : failed,
		skipped: report.skipped.length,
	}
}

/** Returns the files in which a test is skipped without a reason. A hook that fails skips tests, too. */
export const filesWithoutReason = ({ failed, failedOutsideTests, skipped }: RunReport): string[] =>
	failed + failedOutsideTests > 0
		? []
		: [...new Set(skipped.filter(({ reason }) => reason === NO_REASON).map(({ file }) => file))]

/** Returns the CPU time of each project, then of the costliest files, or of all. Without CPU times, the slowest files. */
export function describeCosts(files: readonly FileCost[], areAllShown = false): string[] {
	if (files.length === 0) return []
	const line = (cpu: number, wall: number, name: string) =>
		`${cpu.toFixed(1).padStart(8)} s CPU ${wall.toFixed(1).padStart(8)} s  ${name}`
	const sum = (costs: readonly FileCost[], key: 'seconds' | 'cpuSeconds') =>
		costs.reduce((total, cost) => total + cost[key], 0)
	const projects = Map.groupBy(files, ({ project }) => project)
	const costliest = files.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds || b.seconds - a.seconds)
	return [
		'Files of each project:',
		...[...projects].map(([name, costs]) => line(sum(costs, 'cpuSeconds'), sum(costs, 'seconds'), name)),
		'Most CPU time:',
		...costliest
			.slice(0, areAllShown ? files.length : FILES_SHOWN)
			.map(({ project, path, seconds, cpuSeconds }) => line(cpuSeconds, seconds, `${project}: ${path}`)),
	]
}

/** Returns a line for each reason in each file. Tests that a title does not select are left out. */
export function describeSkipped(
	{ skipped, onlyOnD1 }: Pick<RunReport, 'skipped' | 'onlyOnD1'>,
	isByTitle = false,
): string[] {
	const listed = skipped.filter(({ reason }) => !isByTitle || reason !== NO_REASON)
	const groups = Map.groupBy(listed, ({ file, reason }) => `${file}: ${reason}`)
	const lines = [...groups].map(([where, { length }]) => ({ where, length }))
	if (onlyOnD1 > 0 && !isByTitle)
		lines.push({
			where: 'on libSQL, not counted below: tag d1; npm run prove -- libsql runs them',
			length: onlyOnD1,
		})
	if (lines.length === 0) return []
	return ['Skipped:', ...lines.map(({ where, length }) => `${String(length).padStart(8)}  ${where}`)]
}

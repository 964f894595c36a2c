import { writeFile } from 'node:fs/promises'
import type { TaskMeta } from 'vitest'
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node'
import { readRuntimesCpuMs, SharedCpu } from './cpu.ts'
import { countOnlyOnD1, NO_REASON, type RunReport, type SkippedTest } from './summary.ts'
import type {} from './task-meta.ts'

/** Writes the report from which `npm test` and the proofs print a summary. */
export default class RunReporter implements Reporter {
	/** Files in workerd cannot read their CPU time. It is exact with `--maxWorkers=1`. */
	private readonly runtimes = new SharedCpu(readRuntimesCpuMs)
	private readonly cpuMs = new Map<TestModule, number>()

	onTestModuleQueued(module: TestModule): void {
		if (isInWorkerd(module)) this.runtimes.start(module.id)
	}

	onTestModuleEnd(module: TestModule): void {
		const { cpuMs = Number.NaN } = module.meta()
		this.cpuMs.set(module, isInWorkerd(module) ? this.runtimes.end(module.id) : cpuMs)
	}

	async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): Promise<void> {
		const { TEST_REPORT_PATH } = process.env
		if (TEST_REPORT_PATH) await writeFile(TEST_REPORT_PATH, JSON.stringify(this.report(modules, errors)))
	}

	private report(modules: readonly TestModule[], errors: readonly SerializedError[]): RunReport {
		const files = modules.map((module) => ({
			project: module.project.name,
			path: module.relativeModuleId,
			seconds: module.diagnostic().duration / 1_000,
			cpuSeconds: (this.cpuMs.get(module) || 0) / 1_000,
		}))
		return { ...reportOf(modules, errors), files }
	}
}

const isInWorkerd = ({ project }: TestModule): boolean => project.name.startsWith('edge')

function reportOf(
	modules: readonly TestModule[],
	errors: readonly SerializedError[],
): Omit<RunReport, 'files'> {
	const tests = modules.flatMap((module) => [...module.children.allTests()])
	const count = (state: string) => tests.filter((test) => test.result().state === state).length
	const statements: RunReport['statements'] = {}
	for (const module of modules) {
		const { newStatements = [] } = module.meta()
		statements[module.project.name] = [...(statements[module.project.name] ?? []), ...newStatements]
	}
	const skipped = tests.filter((test) => test.result().state === 'skipped')
	const testsOf = (project: string) => tests.filter(({ module }) => module.project.name === project)
	const isOnlyOnD1 = (test: TestCase) => metaOf(test, 'isSkippedOnLibsql') === true
	return {
		passed: count('passed'),
		failed: count('failed'),
		failedOutsideTests: modules.filter(hasFailedOutsideTests).length + errors.length,
		skipped: skipped.filter((test) => !isOnlyOnD1(test)).map(skippedTest),
		onlyOnD1: countOnlyOnD1(
			testsOf('edge').length,
			modules.some(({ project }) => project.name === 'edge-libsql')
				? testsOf('edge-libsql').filter((test) => !isOnlyOnD1(test)).length
				: null,
		),
		statements,
	}
}

/** Whether a file could not be loaded or a hook failed, without a failed test. */
function hasFailedOutsideTests(module: TestModule): boolean {
	if (module.ok()) return false
	return ![...module.children.allTests()].some((test) => test.result().state === 'failed')
}

function skippedTest(test: TestCase): SkippedTest {
	return { file: test.module.relativeModuleId, reason: skipReason(test) }
}

function skipReason(test: TestCase): string {
	const result = test.result()
	return metaOf(test, 'skipReason') || (result.state === 'skipped' && result.note) || NO_REASON
}

/** Returns data of a test, or else of a suite around it. */
function metaOf<K extends keyof TaskMeta>(test: TestCase, key: K): TaskMeta[K] | undefined {
	for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; task = task.parent) {
		const value = task.meta()[key]
		if (value !== undefined) return value
	}
	return undefined
}

import { createHash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that start before all others, because they mostly wait: tests in workerd keep the cores busy meanwhile. */
const waitingFiles: readonly string[] = ['e2e/fleet/chaos.node.test.ts', 'web/player/player.node.test.ts']

/** Files that start first in their project, as they would otherwise finish last. vitest knows no durations at first. */
const slowFiles: readonly string[] = [
	'account-deletion/execute/simulation.edge.test.ts',
	'product/product.node.test.ts',
	'deploy/deploy.node.test.ts',
	'hot-folder/hot-folder.node.test.ts',
	'start/start.node.test.ts',
	'tasks/video.node.test.ts',
	'pages/join.node.test.ts',
	'run/work.node.test.ts',
	'tasks/hostile.node.test.ts',
]

/** Orders files by project, because a runtime serves the files of one project. */
export class SlowFilesFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const { shuffle, seed } = this.ctx.config.sequence
		if (shuffle)
			return files.toSorted(
				(a, b) => byProject(a, b) || shuffleKey(seed, a).localeCompare(shuffleKey(seed, b)),
			)
		return (await super.sort(files)).toSorted(
			(a, b) => compare(waitingFiles)(a, b) || byProject(a, b) || compare(slowFiles)(a, b),
		)
	}
}

const byProject = (a: TestSpecification, b: TestSpecification) => a.project.name.localeCompare(b.project.name)

/** Compares files so that those of a list come first. */
const compare = (first: readonly string[]) => (a: TestSpecification, b: TestSpecification) =>
	Number(isIn(first, b)) - Number(isIn(first, a))

const isIn = (names: readonly string[], file: TestSpecification) =>
	names.some((name) => file.moduleId.endsWith(name))

/** Sorts files in an order that depends on the seed. */
const shuffleKey = (seed: number, file: TestSpecification) =>
	createHash('sha256').update(`${seed} ${file.moduleId}`).digest('hex')

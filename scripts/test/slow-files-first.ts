import { createHash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that start first, because they mostly wait and would otherwise finish last. vitest itself knows no durations on a
 * fresh checkout.
 */
const slowFiles: readonly string[] = [
	'e2e/fleet/chaos.node.test.ts',
	'web/player/playback/playback.node.test.ts',
	'web/player/player.node.test.ts',
	'account-deletion/execute/simulation.edge.test.ts',
]

/** Orders files by project, because a process that runs tests belongs to one project. */
export class SlowFilesFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const { shuffle, seed } = this.ctx.config.sequence
		if (shuffle)
			return files.toSorted(
				(a, b) => byProject(a, b) || shuffleKey(seed, a).localeCompare(shuffleKey(seed, b)),
			)
		return (await super.sort(files)).toSorted(
			(a, b) => byProject(a, b) || Number(isSlow(b)) - Number(isSlow(a)),
		)
	}
}

const byProject = (a: TestSpecification, b: TestSpecification) => a.project.name.localeCompare(b.project.name)

const isSlow = (file: TestSpecification) => slowFiles.some((name) => file.moduleId.endsWith(name))

/** Sorts files in an order that depends on the seed. */
const shuffleKey = (seed: number, file: TestSpecification) =>
	createHash('sha256').update(`${seed} ${file.moduleId}`).digest('hex')

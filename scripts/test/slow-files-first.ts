import { createHash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that start first, slowest first: vitest itself knows no durations on a fresh checkout. */
const slowFiles: readonly string[] = [
	'web/player/playback/playback.node.test.ts',
	'web/player/player.node.test.ts',
	'e2e/fleet/chaos.node.test.ts',
	'hot-folder/hot-folder.node.test.ts',
	'lib/runtime/dev-proxy.node.test.ts',
	'lib/runtime/runtime.node.test.ts',
	'e2e/product/product.node.test.ts',
	'transcoder-daemon/run/work.node.test.ts',
	'tasks/video.node.test.ts',
	'tasks/hostile.node.test.ts',
	'account-deletion/operator-commands.node.test.ts',
	'scripts/start/start.node.test.ts',
	'e2e/analytics/reports.node.test.ts',
	'scripts/deploy/deploy.node.test.ts',
	'backups/drill/drill.edge.test.ts',
	'video/transcoding/codecs.edge.test.ts',
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
		return (await super.sort(files)).toSorted((a, b) => byProject(a, b) || rank(a) - rank(b))
	}
}

const byProject = (a: TestSpecification, b: TestSpecification) => a.project.name.localeCompare(b.project.name)

/** Returns the place among the slow files; all others come after them. */
function rank({ moduleId }: TestSpecification): number {
	const at = slowFiles.findIndex((name) => moduleId.endsWith(name))
	return at < 0 ? slowFiles.length : at
}

/** Sorts files in an order that depends on the seed. */
const shuffleKey = (seed: number, file: TestSpecification) =>
	createHash('sha256').update(`${seed} ${file.moduleId}`).digest('hex')

import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseOptions } from '../../lib/command-options.ts'
import { root } from '../../lib/root.ts'
import { bundleWorker } from '../../lib/runtime/bundle.ts'
import { NEXT_RELEASE } from '../../lib/runtime/next-release.ts'
import { readWorkerConfig } from '../../lib/runtime/worker-config.ts'
import { checkOutWithNewSchema, findLastRelease, plantMigration, runTests } from './previous-release.ts'

const help = `Proves that the previous release works on the schema of this one, as it must while an upgrade is in progress: runs its own
end-to-end tests with the migrations of this commit. The Worker of this commit runs beside it on the same database, buckets
and queues: in a first run it takes all messages, in a second one all requests.

  npm run prove -- upgrade [options]

  --from REF     the previous release (default: the last tag v* before this commit, or the commit before
                 the second migration)
  --only PATH    tests to run, given once or more (default test/e2e)
  --plant SQL    append a migration, such as one that drops a column, to see the proof fail
  --help         show this help
`

async function prove(release: string, paths: readonly string[], plant: string | undefined): Promise<boolean> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-upgrade-'))
	try {
		const options = await readWorkerConfig(join(root, 'wrangler.toml'))
		const script = join(folder, 'worker.js')
		await copyFile(join(await bundleWorker(), 'worker.js'), script)
		const previous = join(folder, 'previous')
		await using _checkout = await checkOutWithNewSchema(release, previous)
		if (plant !== undefined) await plantMigration(previous, plant)
		for (const part of ['queues', 'requests']) {
			console.log(`\n${release} on the schema of this commit, whose Worker takes all ${part}:`)
			const file = join(folder, `${part}.json`)
			await writeFile(file, JSON.stringify({ script, options, part }))
			if (!(await runTests(previous, paths, { [NEXT_RELEASE]: file }))) return false
		}
		return true
	} finally {
		await rm(folder, { recursive: true, force: true })
	}
}

const { values } = parseOptions({
	options: {
		from: { type: 'string' },
		only: { type: 'string', multiple: true, default: ['test/e2e'] },
		plant: { type: 'string' },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) console.log(help)
else await main()

async function main(): Promise<void> {
	const release = values.from ?? (await findLastRelease())
	if (await prove(release, values.only, values.plant)) {
		console.log(`\n${release} works on the schema of this commit.`)
	} else {
		console.error(
			`\n${release} does not work on the schema of this commit; see docs/operations/upgrading.md.`,
		)
		process.exitCode = 1
	}
}

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildCli } from '../../lib/sdk/build-cli.ts'
import { computeMedian } from '../lib/statistics.ts'

/** The budget of `--version`, as a multiple of `node -e 0` in the same run. */
const MAX_RATIO = 1.35

const HELP = `Measures how long the command line takes to start, beside Node without a program.

  npm run bench -- cli [options]

  --runs N   runs of each (default 15)
  --help     prints this

The runs alternate, and medians are compared. Fails if --version takes more than ${MAX_RATIO} times as long as Node.`

const { values } = parseArgs({
	options: { runs: { type: 'string', default: '15' }, help: { type: 'boolean', default: false } },
})
if (values.help) console.log(HELP)
else await compareStarts(Number(values.runs))

async function compareStarts(runs: number): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-cli-bench-'))
	try {
		await buildCli(folder)
		const file = join(folder, 'main.js')
		const commands = [
			{ name: 'node -e 0', args: ['-e', '0'] },
			{ name: 'playhouse --version', args: [file, '--version'] },
			{ name: 'playhouse --help', args: [file, '--help'] },
		].map((command) => ({ ...command, ms: [] as number[] }))
		for (let run = 0; run < runs; run++) for (const { args, ms } of commands) ms.push(measure(args))
		const bare = computeMedian(commands[0]?.ms ?? [])
		for (const { name, ms } of commands)
			console.log(
				`${name.padEnd(22)}${computeMedian(ms).toFixed(0).padStart(6)} ms${(computeMedian(ms) / bare).toFixed(2).padStart(8)}`,
			)
		if (computeMedian(commands[1]?.ms ?? []) / bare > MAX_RATIO) process.exitCode = 1
	} finally {
		await rm(folder, { recursive: true, force: true })
	}
}

function measure(args: readonly string[]): number {
	const startedMs = performance.now()
	const { status, stderr } = spawnSync(process.execPath, args)
	if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`)
	return performance.now() - startedMs
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { parseOptions } from '../lib/command-options.ts'
import { wrapToDieWithParent } from '../lib/die-with-parent.ts'
import { root } from '../lib/root.ts'

const help = `Runs npm test several times in a row, until a test fails. In the last runs, other programs keep every core busy.

  npm run prove -- suite [options]

  --runs N   how many runs (default 10)
  --busy N   in how many of them all cores are kept busy (default 2)
  --help     show this help

Prints a line for each run, and keeps their output in a folder.
`

async function prove(runs: number, busy: number): Promise<boolean> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-suite-'))
	console.log(`The output is in ${folder}.`)
	for (let run = 1; run <= runs; run++) {
		const isBusy = run > runs - busy
		using _programs = isBusy ? keepBusy() : undefined
		const path = join(folder, `${run}.log`)
		const exitCode = await runSuite(path)
		console.log(`run ${run}${isBusy ? ', all cores busy' : ''}: ${await summaryIn(path)}`)
		if (exitCode !== 0) {
			console.error(`It failed: see ${path}.`)
			return false
		}
	}
	return true
}

async function runSuite(logPath: string): Promise<number> {
	await using log = await open(logPath, 'w')
	const suite = spawn(process.execPath, [join(root, 'scripts', 'bootstrap.mjs'), 'test'], {
		cwd: root,
		stdio: ['ignore', log.fd, log.fd],
	})
	const [code]: (number | null)[] = await once(suite, 'exit')
	return code ?? 1
}

/** Returns the last two lines of the output of `npm test`: how long it took, and how many tests passed and failed. */
async function summaryIn(path: string): Promise<string> {
	const output = stripVTControlCharacters(await readFile(path, 'utf8')).trim()
	return output.split('\n').slice(-2).join('; ')
}

/** Starts a program for each core that computes until it is ended. */
function keepBusy(): Disposable {
	const [program = '', ...args] = wrapToDieWithParent('KILL', [process.execPath, '-e', 'for (;;);'])
	const programs = Array.from({ length: availableParallelism() }, () =>
		spawn(program, args, { stdio: 'ignore' }),
	)
	return {
		[Symbol.dispose]() {
			for (const each of programs) each.kill('SIGKILL')
		},
	}
}

const { values } = parseOptions({
	options: {
		runs: { type: 'string', default: '10' },
		busy: { type: 'string', default: '2' },
		help: { type: 'boolean', short: 'h' },
	},
})
const [runs, busy] = [Number(values.runs), Number(values.busy)]
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,2}$/.test(values.runs) || !/^\d{1,3}$/.test(values.busy) || busy > runs) {
	console.error('--runs must be a whole number from 1 to 999, and --busy not larger; see --help.')
	process.exitCode = 2
} else if (!(await prove(runs, busy))) process.exitCode = 1

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseOptions } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'

const help = `Injects faults while two machines share a video, the long version of a test. Machines and the Worker are killed, or
frozen for longer than a lease, at every named point. Responses are lost, requests are duplicated, connections break,
the store is unavailable, disks are full, and queues deliver every message twice. After each run the video must be ready
with all its frames, or in error with a correct reason. Each task must be accepted once, and no process and no
unreferenced object may remain. A fault that did not occur is a failure.

  npm run prove -- chaos [options]

  --runs N      runs (default 60): each fault once in random order, then pairs of faults
  --seed N      seed of the order (default 1)
  --at-once N   runs in parallel (default 1)
  --lease N     lease duration in seconds (default 10; use more on a busy machine)
  --only TEXT   only runs whose name contains TEXT
  --help        show this help

Small disks are created with unshare(1), which needs permission to create user namespaces.
`

const { values } = parseOptions({
	options: {
		runs: { type: 'string', default: '60' },
		seed: { type: 'string', default: '1' },
		'at-once': { type: 'string', default: '1' },
		lease: { type: 'string', default: '10' },
		only: { type: 'string', default: '' },
		help: { type: 'boolean', short: 'h' },
	},
})

type Outcome = {
	name: string
	what: string[]
	seconds: number
	ended: string
	problems: string[]
	complaints: string[]
}

function startLane(lane: number, lanes: number, report: string) {
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const file = 'test/e2e/fleet/chaos.node.test.ts'
	return spawn(process.execPath, [vitest, 'run', '--project', 'node', '--reporter', 'dot', file], {
		cwd: root,
		// Problems are in the report, which is printed.
		stdio: ['ignore', 'ignore', 'ignore'],
		env: {
			...process.env,
			CHAOS_RUNS: values.runs,
			CHAOS_SEED: values.seed,
			CHAOS_ONLY: values.only,
			CHAOS_LEASE: values.lease,
			CHAOS_LANE: `${lane}/${lanes}`,
			CHAOS_REPORT: report,
		},
	})
}

const minutes = (seconds: number) =>
	seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`

const readOutcomes = async (report: string): Promise<Outcome[]> =>
	(await readFile(report, 'utf8'))
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line))

function printOutcome({ name, seconds, ended, problems, complaints }: Outcome, progress: string): void {
	console.log(`${progress} ${problems.length === 0 ? 'ok' : 'FAILED'}, ${seconds} s: ${name}`)
	if (ended !== 'ready') console.log(`    ${ended}`)
	for (const problem of problems) console.log(`    ${problem}`)
	if (problems.length > 0) for (const line of complaints) console.log(`      ${line.slice(0, 300)}`)
}

function printTable(outcomes: readonly Outcome[]): void {
	const kinds = [...new Set(outcomes.map(({ what }) => what.join(' + ')))].toSorted()
	const rows = kinds.map((kind) => {
		const of = outcomes.filter(({ what }) => what.join(' + ') === kind)
		return [
			kind,
			`${of.length}`,
			`${of.filter(({ ended }) => ended === 'ready').length}`,
			`${of.filter(({ ended }) => ended.startsWith('error')).length}`,
			`${of.filter(({ problems }) => problems.some((each) => each.startsWith('did not occur'))).length}`,
			`${of.filter(({ problems }) => problems.length > 0).length}`,
			`${of.map(({ seconds }) => seconds).toSorted((a, b) => a - b)[Math.floor(of.length / 2)]}`,
		]
	})
	const head = ['fault', 'runs', 'ready', 'in error', 'missed', 'failed', 'median s']
	const widths = head.map((text, k) => Math.max(text.length, ...rows.map((row) => row[k]?.length ?? 0)))
	for (const row of [head, ...rows])
		console.log(
			row
				.map((cell, k) => (k === 0 ? cell.padEnd(widths[k] ?? 0) : cell.padStart(widths[k] ?? 0)))
				.join('  '),
		)
}

async function prove(): Promise<boolean> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-prove-chaos-'))
	const report = join(folder, 'report.ndjson')
	await (await open(report, 'w')).close()
	const lanes = Number(values['at-once'])
	const startedAt = performance.now()
	console.log(`${values.runs} runs, seed ${values.seed}, leases of ${values.lease} s`)
	const processes = Array.from({ length: lanes }, (_, lane) => startLane(lane, lanes, report))
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.on(signal, () => processes.forEach((each) => void each.kill(signal)))
	const codes = Promise.all(processes.map(async (each) => (await once(each, 'exit'))[0] as number | null))
	let isOver = false
	void codes.then(() => {
		isOver = true
	})
	let seen = 0
	for (let isLast = false; !isLast; ) {
		isLast = isOver
		const outcomes = await readOutcomes(report)
		for (const outcome of outcomes.slice(seen)) {
			seen++
			const each = (performance.now() - startedAt) / 1_000 / seen
			const remaining = values.only ? '' : `, ${minutes(each * (Number(values.runs) - seen))} to go`
			printOutcome(outcome, `[${seen}/${values.only ? '?' : values.runs}${remaining}]`)
		}
		if (!isLast) await new Promise((done) => setTimeout(done, 1_000))
	}
	const outcomes = await readOutcomes(report)
	console.log()
	printTable(outcomes)
	const failed = outcomes.filter(({ problems }) => problems.length > 0).length
	console.log(
		`\n${outcomes.length} runs in ${minutes((performance.now() - startedAt) / 1_000)}, ${failed} of them failed; seed ${values.seed}`,
	)
	await rm(folder, { recursive: true, force: true })
	return failed === 0 && outcomes.length > 0 && (await codes).every((code) => code === 0)
}

const isNumber = (text: string) => /^[1-9]\d{0,5}$/.test(text)
if (values.help) {
	console.log(help)
} else if (![values.runs, values.seed, values['at-once'], values.lease].every(isNumber)) {
	console.error('--runs, --seed, --at-once and --lease must be whole numbers; see --help.')
	process.exitCode = 2
} else {
	process.exitCode = (await prove()) ? 0 : 1
}

import { parseOptions } from '../../lib/command-options.ts'
import { readWorkerdCpuMs } from '../lib/cpu-time.ts'
import { computePercentile } from '../lib/statistics.ts'
import { planCommunitySize } from './data.ts'
import { findScans } from './plans.ts'
import { type Case, cases, type RequestSpec } from './requests.ts'
import { type CommunityFixture, openCommunity } from './seed-community.ts'
import { type Side, startCommunityWorkers } from './workers.ts'

/** Maximum ratio of the p95 with a hundred times as much data. */
const TARGET = 2
const MAX_STATEMENTS = 4
/** Number of measurements if the target seems to be missed, because of other load on the machine. */
const TRIES = 3

const usage = `npm run bench -- community [options]

Measures every community endpoint on a full database and on one of a hundredth of its size, in turns, in one workerd on
this machine. By default the full one has a million posts, a hundred thousand members, two million bookmarks and two
million reactions. Prints SQL statements, latencies in milliseconds and the ratio of the p95. Fails if an endpoint needs
more than ${MAX_STATEMENTS} statements, scans a whole table or index, or exceeds ${TARGET} × the p95 of the small database.

  --posts N      posts of the full database (default 1000000); everything else grows in proportion
  --samples N    requests of each endpoint at each size (default 200)
  --only TEXT    only endpoints whose names contain TEXT
  --plans        only check statements and query plans
  --help         show this help`

const options = {
	posts: { type: 'string', default: '1000000' },
	samples: { type: 'string', default: '200' },
	only: { type: 'string', default: '' },
	plans: { type: 'boolean', default: false },
	help: { type: 'boolean', short: 'h', default: false },
} as const

type CommunityFixtures = { small: CommunityFixture; large: CommunityFixture }
/** CPU time of workerd, including the database; on a busy machine more reliable than wall time. */
type Measurements = { ms: number[]; cpuMs: number }
type Times = { small: Measurements; large: Measurements; statements: number }

const { values } = parseOptions({ options })
if (values.help) console.log(usage)
else await bench(count(values.posts, values.plans ? 40_000 : 400_000), count(values.samples, 1))

async function bench(posts: number, samples: number): Promise<void> {
	await using workers = await startCommunityWorkers()
	const fixtures = { small: await fill(workers.small, posts / 100), large: await fill(workers.large, posts) }
	const selected = cases.filter(({ name }) => name.includes(values.only))
	const missed = await checkPlans(fixtures.large, workers.watched, selected)
	if (!values.plans) missed.push(...(await compare(fixtures, selected, samples)))
	console.log(missed.length === 0 ? '\nTargets met' : `\nTargets missed:\n${missed.join('\n')}`)
	if (missed.length > 0) process.exitCode = 1
}

function count(text: string, minimum: number): number {
	const n = Number(text)
	if (Number.isInteger(n) && n >= minimum && n <= 10_000_000) return n
	throw new Error(`${text} is not a number from ${minimum} to 10000000`)
}

async function fill(side: Side, posts: number): Promise<CommunityFixture> {
	const startedAt = performance.now()
	const fixture = await openCommunity(side, planCommunitySize(posts))
	console.log(`${posts} posts: ${((performance.now() - startedAt) / 1000).toFixed(0)} s to fill`)
	return fixture
}

/** Calls each endpoint once on the full database and checks its query plans. */
async function checkPlans(
	fixture: CommunityFixture,
	watched: Side,
	selected: readonly Case[],
): Promise<string[]> {
	const missed: string[] = []
	const checked = new Set<string>()
	for (const endpoint of selected) {
		const request = await prepare(endpoint, fixture, 0)
		await fixture.ask(request, 0, watched.url)
		const response = await fetch(`${watched.url}/statements`)
		const statements = ((await response.json()) as string[]).filter((sql) => !checked.has(sql))
		for (const sql of statements) checked.add(sql)
		for (const scan of await findScans(watched, statements)) missed.push(`${endpoint.name}: scans: ${scan}`)
	}
	console.log(`${checked.size} statements of ${selected.length} endpoints checked`)
	return missed
}

/** Creates what the request needs, by the same caller, outside the measured time. */
async function prepare({ make }: Case, fixture: CommunityFixture, n: number): Promise<RequestSpec> {
	return make(n, fixture.size, async (request) => JSON.parse((await fixture.ask(request, n)).text) as never)
}

async function compare(
	fixtures: CommunityFixtures,
	selected: readonly Case[],
	samples: number,
): Promise<string[]> {
	const missed: string[] = []
	printRow(['endpoint', 'sql', 'p50 1 %', 'p50', 'p95 1 %', 'p95', 'ratio', 'cpu 1 %', 'cpu'])
	for (const endpoint of selected) {
		let times = await measure(endpoint, fixtures, samples)
		for (let tries = 1; ratioOf(times) > TARGET && tries < TRIES; tries++)
			times = better(times, await measure(endpoint, fixtures, samples))
		const ratio = ratioOf(times)
		const both = [times.small, times.large]
		const cells = [
			...[0.5, 0.95].flatMap((share) => both.map(({ ms }) => computePercentile(ms, share))),
			ratio,
			...both.map(({ ms, cpuMs }) => cpuMs / ms.length),
		]
		printRow([endpoint.name, String(times.statements), ...cells.map((cell) => cell.toFixed(2))])
		if (ratio > TARGET) missed.push(`${endpoint.name}: ${ratio.toFixed(2)} × the p95 of a hundredth`)
		if (times.statements > MAX_STATEMENTS) missed.push(`${endpoint.name}: ${times.statements} statements`)
	}
	return missed
}

function ratioOf({ small, large }: Times): number {
	return computePercentile(large.ms, 0.95) / computePercentile(small.ms, 0.95)
}

function better(first: Times, second: Times): Times {
	return ratioOf(second) < ratioOf(first) ? second : first
}

/** Alternates the databases, and which one goes first, so that both see the same machine load. */
async function measure(endpoint: Case, { small, large }: CommunityFixtures, samples: number): Promise<Times> {
	const times: Times = { small: { ms: [], cpuMs: 0 }, large: { ms: [], cpuMs: 0 }, statements: 0 }
	const take = async (fixture: CommunityFixture, measured: Measurements, n: number) => {
		const request = await prepare(endpoint, fixture, n)
		const cpuBefore = await readWorkerdCpuMs()
		const { ms, statements } = await fixture.ask(request, n)
		measured.cpuMs += (await readWorkerdCpuMs()) - cpuBefore
		measured.ms.push(ms)
		times.statements = Math.max(times.statements, statements)
	}
	for (let n = 0; n < samples; n++) {
		if (n % 2 === 0) await take(small, times.small, n)
		await take(large, times.large, n)
		if (n % 2 === 1) await take(small, times.small, n)
	}
	return times
}

function printRow([name = '', ...cells]: string[]): void {
	console.log(`${name.padEnd(34)}${cells.map((cell, i) => cell.padStart(i === 0 ? 4 : 9)).join('')}`)
}

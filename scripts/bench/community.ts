import { parseArgs } from 'node:util'
import { type Club, openClub } from './community/club.ts'
import { sizeOf } from './community/data.ts'
import { findWalks } from './community/plans.ts'
import { type Asked, type Case, cases } from './community/requests.ts'
import { type Side, startCommunityWorkers } from './community/workers.ts'
import { readWorkerdCpuMs } from './cpu-time.ts'
import { percentile } from './statistics.ts'

/** How much longer it may take with a hundred times as much. */
const TARGET = 2
const MOST_STATEMENTS = 4
/** Of the times that it is measured when it seems to miss the target: machines do other things too. */
const TRIES = 3

const usage = `npm run bench:community [-- options]

Every endpoint of the community on a full database and on one of a hundredth of it, in turns, in one workerd on this
machine: a million posts, a hundred thousand members, two million bookmarks and two million reactions unless told
otherwise. Shown are SQL statements, latencies in milliseconds and how the p95 compare. Ends with whether each endpoint
takes ${MOST_STATEMENTS} statements at most, walks through no table, and keeps its p95 within ${TARGET} × that of the small database.

  --posts N      posts of the full database (1000000); everything else grows with them
  --samples N    requests of each endpoint at each size (200)
  --only TEXT    endpoints whose name holds it
  --plans        statements and query plans alone, no times
  --help         this text`

const options = {
	posts: { type: 'string', default: '1000000' },
	samples: { type: 'string', default: '200' },
	only: { type: 'string', default: '' },
	plans: { type: 'boolean', default: false },
	help: { type: 'boolean', short: 'h', default: false },
} as const

type Clubs = { small: Club; large: Club }
/** The CPU of workerd, database included: on a busy machine it says more than the clock. */
type Taken = { ms: number[]; cpuMs: number }
type Times = { small: Taken; large: Taken; statements: number }

const { values } = parseArgs({ options })
if (values.help) console.log(usage)
else await bench(count(values.posts, values.plans ? 40_000 : 400_000), count(values.samples, 1))

async function bench(posts: number, samples: number): Promise<void> {
	await using workers = await startCommunityWorkers()
	const clubs = { small: await fill(workers.small, posts / 100), large: await fill(workers.large, posts) }
	const wanted = cases.filter(({ name }) => name.includes(values.only))
	const missed = await checkPlans(clubs.large, workers.watched, wanted)
	if (!values.plans) missed.push(...(await compare(clubs, wanted, samples)))
	console.log(missed.length === 0 ? '\nTargets: met' : `\nTargets, missed:\n${missed.join('\n')}`)
	if (missed.length > 0) process.exitCode = 1
}

function count(text: string, least: number): number {
	const n = Number(text)
	if (Number.isInteger(n) && n >= least && n <= 10_000_000) return n
	throw new Error(`${text} is no number from ${least} to 10000000`)
}

async function fill(side: Side, posts: number): Promise<Club> {
	const startedAt = performance.now()
	const club = await openClub(side, sizeOf(posts))
	console.log(`${posts} posts: ${((performance.now() - startedAt) / 1000).toFixed(0)} s to fill`)
	return club
}

/** Each endpoint once, on the full database. */
async function checkPlans(club: Club, watched: Side, wanted: readonly Case[]): Promise<string[]> {
	const missed: string[] = []
	const checked = new Set<string>()
	for (const one of wanted) {
		const asked = await prepare(one, club, 0)
		await club.ask(asked, 0, watched.url)
		const response = await fetch(`${watched.url}/statements`)
		const statements = ((await response.json()) as string[]).filter((sql) => !checked.has(sql))
		for (const sql of statements) checked.add(sql)
		for (const walk of await findWalks(watched, statements)) missed.push(`${one.name}: walks: ${walk}`)
	}
	console.log(`${checked.size} statements of ${wanted.length} endpoints looked at`)
	return missed
}

/** What the request needs is made before it, by the same caller, and is no part of the time. */
async function prepare({ make }: Case, club: Club, n: number): Promise<Asked> {
	return make(n, club.size, async (asked) => JSON.parse((await club.ask(asked, n)).text) as never)
}

async function compare(clubs: Clubs, wanted: readonly Case[], samples: number): Promise<string[]> {
	const missed: string[] = []
	printRow(['endpoint', 'sql', 'p50 1 %', 'p50', 'p95 1 %', 'p95', 'ratio', 'cpu 1 %', 'cpu'])
	for (const one of wanted) {
		let times = await measure(one, clubs, samples)
		for (let tries = 1; ratioOf(times) > TARGET && tries < TRIES; tries++)
			times = better(times, await measure(one, clubs, samples))
		const ratio = ratioOf(times)
		const both = [times.small, times.large]
		const cells = [
			...[0.5, 0.95].flatMap((share) => both.map(({ ms }) => percentile(ms, share))),
			ratio,
			...both.map(({ ms, cpuMs }) => cpuMs / ms.length),
		]
		printRow([one.name, String(times.statements), ...cells.map((cell) => cell.toFixed(2))])
		if (ratio > TARGET) missed.push(`${one.name}: ${ratio.toFixed(2)} × the p95 of a hundredth`)
		if (times.statements > MOST_STATEMENTS) missed.push(`${one.name}: ${times.statements} statements`)
	}
	return missed
}

function ratioOf({ small, large }: Times): number {
	return percentile(large.ms, 0.95) / percentile(small.ms, 0.95)
}

function better(one: Times, other: Times): Times {
	return ratioOf(other) < ratioOf(one) ? other : one
}

/** One right after the other, each first in every second round: both see the same machine. */
async function measure(one: Case, { small, large }: Clubs, samples: number): Promise<Times> {
	const times: Times = { small: { ms: [], cpuMs: 0 }, large: { ms: [], cpuMs: 0 }, statements: 0 }
	const take = async (club: Club, taken: Taken, n: number) => {
		const asked = await prepare(one, club, n)
		const cpuBefore = await readWorkerdCpuMs()
		const { ms, statements } = await club.ask(asked, n)
		taken.cpuMs += (await readWorkerdCpuMs()) - cpuBefore
		taken.ms.push(ms)
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

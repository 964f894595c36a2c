import { parseOptions } from '../../lib/command-options.ts'
import { readWorkerdCpuMs } from '../lib/cpu-time.ts'
import { generateLoad, type LoadResult } from '../lib/load.ts'
import { computeMedian, computePercentile } from '../lib/statistics.ts'
import { type Side, startWorkers } from '../lib/workers.ts'

const MEMBERS = 100
/**
 * Minimum share of the bare Worker's throughput: validation, query builder, limits, headers and logging cost the
 * rest.
 */
const TARGET = 0.8

const usage = `npm run bench -- api [options]

Compares this API with a bare hono Worker that sends the same responses with the same SQL statements. Measures requests
a second and latencies, in turns, in one workerd on this machine. CPU is the time that workerd needs for one request,
including the D1 simulator; on a busy machine it is more reliable than wall time. Fails the target if this API reaches
less than ${TARGET} of the bare Worker's throughput.

  --rounds N        rounds (default 7); the output shows medians
  --requests N      requests per round (default 1000)
  --connections L   keep-alive connections, each with one request at a time (default 1,32)
  --help            show this help`

const options = {
	rounds: { type: 'string', default: '7' },
	requests: { type: 'string', default: '1000' },
	connections: { type: 'string', default: '1,32' },
	help: { type: 'boolean', short: 'h', default: false },
} as const

type LoadParameters = { path: string; requests: number; connections: number }
type Turn = LoadResult & { cpuMs: number }
type Measured = { ours: Turn[]; bare: Turn[] }

const { values } = parseOptions({ options })
if (values.help) console.log(usage)
else await bench(count(values.rounds), count(values.requests), values.connections.split(',').map(count))

async function bench(rounds: number, requests: number, connectionCounts: number[]): Promise<void> {
	await using workers = await startWorkers(MEMBERS)
	const { ours, bare, orgId } = workers
	const missed: string[] = []
	printRow([
		'request',
		'sql',
		'conns',
		'worker',
		'req/s',
		'p50 ms',
		'p95 ms',
		'p99 ms',
		'cpu ms',
		'ours/bare',
	])
	for (const path of ['/health/live', '/v1/auth/me', `/v1/orgs/${orgId}/members`]) {
		const label = path.replace(orgId, '{id}')
		const statements = await compareResponses(path, ours, bare)
		for (const connections of connectionCounts) {
			const load = { path, requests, connections }
			for (const side of [ours, bare]) await takeTurn(side, { ...load, requests: Math.min(requests, 500) })
			const measured = await takeTurns(rounds, ours, bare, load)
			const ratio = computeMedian(
				measured.ours.map((o, i) => o.perSecond / (measured.bare[i]?.perSecond ?? 0)),
			)
			if (ratio < TARGET) missed.push(`${label} with ${connections}: ${ratio.toFixed(2)}`)
			const start = [label, statements, String(connections)]
			printRow([...start, 'ours', ...summarize(measured.ours, requests), ratio.toFixed(2)])
			printRow([...start, 'bare', ...summarize(measured.bare, requests)])
		}
	}
	console.log(
		`\nTarget, ours ≥ ${TARGET} × bare: ${missed.length === 0 ? 'met' : `missed by ${missed.join('; ')}`}`,
	)
}

function count(text: string): number {
	const n = Number(text)
	if (!Number.isInteger(n) || n < 1 || n > 1_000_000)
		throw new Error(`${text} is not a number from 1 to 1000000`)
	return n
}

/** Alternates the two Workers, and which one goes first, so that both see the same machine load. */
async function takeTurns(rounds: number, ours: Side, bare: Side, load: LoadParameters): Promise<Measured> {
	const measured: Measured = { ours: [], bare: [] }
	for (let i = 0; i < rounds; i++) {
		if (i % 2 === 0) measured.ours.push(await takeTurn(ours, load))
		measured.bare.push(await takeTurn(bare, load))
		if (i % 2 === 1) measured.ours.push(await takeTurn(ours, load))
	}
	return measured
}

async function takeTurn(side: Side, { path, requests, connections }: LoadParameters): Promise<Turn> {
	const before = await readWorkerdCpuMs()
	const result = await generateLoad({ url: side.url + path, headers: headersOf(side), requests, connections })
	return { ...result, cpuMs: (await readWorkerdCpuMs()) - before }
}

function headersOf({ token }: Side): Record<string, string> {
	return { authorization: `Bearer ${token}` }
}

/** Fails if the two responses differ. Returns the number of SQL statements of ours. */
async function compareResponses(path: string, ours: Side, bare: Side): Promise<string> {
	const request = (side: Side) => fetch(side.url + path, { headers: headersOf(side) })
	const [ourResponse, bareResponse] = await Promise.all([request(ours), request(bare)])
	const [actual, expected] = await Promise.all([ourResponse.text(), bareResponse.text()])
	if (actual !== expected) throw new Error(`${path}: the responses differ\n${actual}\n${expected}`)
	return /sql;desc="(\d+)"/.exec(ourResponse.headers.get('server-timing') ?? '')?.[1] ?? '?'
}

function summarize(turns: Turn[], requests: number): string[] {
	const latency = (share: number) =>
		computeMedian(turns.map((t) => computePercentile(t.latenciesMs, share))).toFixed(2)
	// Process CPU time has a coarse resolution, so it is averaged over all rounds.
	const cpuMs = turns.reduce((sum, t) => sum + t.cpuMs, 0) / (turns.length * requests)
	return [
		computeMedian(turns.map((t) => t.perSecond)).toFixed(0),
		latency(0.5),
		latency(0.95),
		latency(0.99),
		Number.isNaN(cpuMs) ? '-' : cpuMs.toFixed(3),
	]
}

function printRow(cells: string[]): void {
	const widths = [22, -4, -6, 7, -7, -8, -8, -8, -8, -10]
	const padded = cells.map((cell, i) => {
		const width = widths[i] ?? 0
		return width < 0 ? cell.padStart(-width) : cell.padEnd(width)
	})
	console.log(padded.join(' ').trimEnd())
}

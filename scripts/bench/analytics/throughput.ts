import { readWorkerdCpuMs } from '../lib/cpu-time.ts'
import { generateLoad } from '../lib/load.ts'
import { computeMedian } from '../lib/statistics.ts'
import { createReportBody, VIEWER_HEADERS } from './reports.ts'
import { startReportWorkers } from './workers.ts'

export const TARGET = 5
const CONNECTIONS = 32

type Turn = { perSecond: number; cpuMs: number }

/** Compares reports a second through our Worker with a statement of D1 for each report, in turns. */
export async function benchThroughput(rounds: number, requests: number): Promise<void> {
	await using workers = await startReportWorkers()
	const { ours, upsertUrl } = workers
	const [video] = await ours.addVideos(1, 600_000)
	const playbackId = video?.playbackId ?? ''
	const takeTurn = async (url: string, turn: number): Promise<Turn> => {
		const before = await readWorkerdCpuMs()
		const seqs = new Map<number, number>()
		const { perSecond } = await generateLoad({
			url: `${url}/v1/analytics/events`,
			headers: VIEWER_HEADERS,
			requests,
			connections: CONNECTIONS,
			status: 202,
			bodyOf: (connection, answer) => {
				const seq = (seqs.get(connection) ?? 0) + 1
				seqs.set(connection, seq)
				const token = /"token":"([^"]+)"/.exec(answer ?? '')?.[1]
				const sessionId = `session-${turn}-${connection}`
				return createReportBody({ playbackId, sessionId, playedMs: Math.min(28_000, seq * 100), seq, token })
			},
		})
		return { perSecond, cpuMs: ((await readWorkerdCpuMs()) - before) / requests }
	}
	const turns: { ours: Turn; upsert: Turn }[] = []
	await takeTurn(ours.url, -1)
	await takeTurn(upsertUrl, -1)
	for (let n = 0; n < rounds; n++) {
		const first = n % 2 === 0 ? await takeTurn(ours.url, n) : null
		const upsert = await takeTurn(upsertUrl, n)
		turns.push({ ours: first ?? (await takeTurn(ours.url, n)), upsert })
	}
	const medianOf = (side: 'ours' | 'upsert', name: keyof Turn) =>
		computeMedian(turns.map((turn) => turn[side][name]))
	const ratioOf = (pick: (turn: (typeof turns)[number]) => number) =>
		computeMedian(turns.map(pick)).toFixed(2)
	console.table({
		'our Worker': {
			'reports/s': Math.round(medianOf('ours', 'perSecond')),
			'cpu ms': medianOf('ours', 'cpuMs').toFixed(3),
			'reports/s of one core': Math.round(1_000 / medianOf('ours', 'cpuMs')),
		},
		'a D1 upsert each': {
			'reports/s': Math.round(medianOf('upsert', 'perSecond')),
			'cpu ms': medianOf('upsert', 'cpuMs').toFixed(3),
			'reports/s of one core': Math.round(1_000 / medianOf('upsert', 'cpuMs')),
		},
	})
	console.log(
		`times as many reports/s: ${ratioOf((turn) => turn.ours.perSecond / turn.upsert.perSecond)} (goal ${TARGET})`,
	)
	console.log(`by CPU time of workerd: ${ratioOf((turn) => turn.upsert.cpuMs / turn.ours.cpuMs)}`)
}

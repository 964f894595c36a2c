import type { Operations } from './counters.ts'
import { listReportTimesMs, type Report, sendReports } from './reports.ts'
import { type BenchVideo, startCounting } from './workers.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Until the hours of the sessions are merged into a day. */
const AFTERWARDS_MS = 4 * DAY

/** Counts the operations of views of five minutes, on a clock that runs as fast as the machine can. */
export async function benchOperations(views: number, viewMs: number): Promise<void> {
	await using site = await startCounting()
	const kinds = {
		'hot: one video': await site.addVideos(1, 2 * viewMs),
		'cold: each another video': await site.addVideos(views, 2 * viewMs),
	}
	// At the start of an hour, tomorrow: the tokens of the account are valid for longer.
	let from = Math.ceil(Date.now() / HOUR) * HOUR
	const rows: Record<string, object> = {}
	for (const [kind, videos] of Object.entries(kinds)) {
		await takeOperations(site.url)
		const reports = await playViews(site.url, videos, views, viewMs, from)
		from += AFTERWARDS_MS
		const took = await takeOperations(site.url)
		const each = (amount: number) => Math.round((amount / views) * 1_000) / 1_000
		rows[kind] = {
			'requests a view': each(reports),
			'object requests': each(sumOf(took.objectRequests)),
			alarms: each(took.alarms),
			'object rows written': each(sumOf(took.objectRowsWritten)),
			'object rows read': each(took.objectRowsRead),
			'D1 rows written': each(took.databaseRowsWritten),
			'D1 statements': each(took.databaseStatements),
		}
		console.log(`${kind}: ${JSON.stringify({ ...took.objectRequests, ...took.objectRowsWritten })}`)
	}
	console.table(rows)
}

const sumOf = (amounts: Record<string, number>): number =>
	Object.values(amounts).reduce((sum, amount) => sum + amount, 0)

async function takeOperations(url: string): Promise<Operations> {
	return (await (await fetch(`${url}/operations`)).json()) as Operations
}

type Beat = { at: number; report: Report }

/** Spreads views over an hour, and fires alarms when they are due. Returns the number of requests. */
async function playViews(
	url: string,
	videos: readonly BenchVideo[],
	views: number,
	viewMs: number,
	from: number,
): Promise<number> {
	const beats: Beat[] = Array.from({ length: views }, (_, view) => {
		const playbackId = videos[view % videos.length]?.playbackId ?? ''
		const startsAt = from + Math.floor((view / views) * (HOUR - viewMs))
		return listReportTimesMs(viewMs).map((playedMs, at, all) => ({
			at: startsAt + playedMs,
			report: {
				playbackId,
				sessionId: `${from}-${view}`,
				playedMs,
				seq: at + 1,
				isEnd: at === all.length - 1,
			},
		}))
	})
		.flat()
		.toSorted((a, b) => a.at - b.at)
	const tokens = new Map<string, string>()
	for (const { at, report } of beats) {
		await fireAlarms(url, at)
		const sent = { ...report, token: tokens.get(report.sessionId) }
		const [answer] = await sendReports(url, [sent], { 'x-now': String(at) })
		tokens.set(report.sessionId, answer?.token ?? '')
	}
	await fireAlarms(url, from + AFTERWARDS_MS)
	return beats.length
}

async function fireAlarms(url: string, now: number): Promise<void> {
	for (let firedAt: number | null = 0; firedAt !== null; ) {
		const response = await fetch(`${url}/alarm`, { method: 'POST', headers: { 'x-now': String(now) } })
		firedAt = ((await response.json()) as { firedAt: number | null }).firedAt
	}
}

import { readWorkerdCpuMs } from '../lib/cpu-time.ts'
import { sendReports } from './reports.ts'
import { type Site, startOurs } from './workers.ts'

/** A request may be about five sessions, so the local load generator needs a fifth of the requests. */
const GROUP = 5
const CONNECTIONS = 48
const STEADY_MS = 120_000
const LEAVING_MS = 30_000
const AFTERWARDS_MS = 60_000
const SAMPLE_MS = 10_000

type Group = {
	ids: string[]
	tokens: (string | undefined)[]
	seq: number
	startedAt: number
	dueAt: number
	/** The next action of the group. */
	state: 'waiting' | 'watching' | 'leaving' | 'gone'
}
type Crowd = { groups: Group[]; reports: number; requests: number; lateMs: number; shards: Set<string> }

/** Simulates a crowd that starts as fast as the machine can, watches, and leaves: half with a last report. */
export async function benchCrowd(viewers: number): Promise<void> {
	await using site = await startOurs()
	const [video] = await site.addVideos(1, 1_800_000)
	if (!video) return
	const groups = Array.from(
		{ length: Math.ceil(viewers / GROUP) },
		(_, n): Group => ({
			ids: Array.from({ length: GROUP }, (_, k) => `viewer-${n * GROUP + k}-${video.playbackId}`),
			tokens: [],
			...{ seq: 0, startedAt: 0, dueAt: 0, state: 'waiting' },
		}),
	)
	const crowd: Crowd = { groups, reports: 0, requests: 0, lateMs: 0, shards: new Set() }
	const startedAt = performance.now()
	const cpuBefore = await readWorkerdCpuMs()
	let phase = 'start'
	let isOver = false
	console.log('s      phase     reports/s  truth   count   shards  late s')
	const sampling = (async () => {
		for (let before = 0; !isOver; ) {
			await pause(SAMPLE_MS)
			const truth = groups.filter(({ state }) => state === 'watching' || state === 'leaving').length * GROUP
			const count = await liveCount(site, video.assetId)
			const cells = [
				((performance.now() - startedAt) / 1_000).toFixed(0).padEnd(6),
				phase.padEnd(9),
				((crowd.reports - before) / (SAMPLE_MS / 1_000)).toFixed(0).padStart(9),
				String(truth).padStart(7),
				String(count).padStart(7),
				String(crowd.shards.size).padStart(7),
				(crowd.lateMs / 1_000).toFixed(1).padStart(7),
			]
			console.log(cells.join(' '))
			before = crowd.reports
			crowd.lateMs = 0
		}
	})()
	const workers = Array.from({ length: CONNECTIONS }, () =>
		work(site.url, video.playbackId, crowd, () => isOver),
	)
	while (groups.some(({ state }) => state === 'waiting')) await pause(100)
	const startSeconds = (performance.now() - startedAt) / 1_000
	phase = 'steady'
	await pause(STEADY_MS)
	phase = 'leaving'
	for (const [n, group] of groups.entries()) {
		// Half send a last report, and half vanish.
		group.state = n % 2 === 0 ? 'leaving' : 'gone'
		if (group.state === 'leaving') group.dueAt = performance.now() + Math.random() * LEAVING_MS
	}
	while (groups.some(({ state }) => state === 'leaving')) await pause(100)
	phase = 'gone'
	await pause(AFTERWARDS_MS)
	isOver = true
	await Promise.all([...workers, sampling])
	const cpuMs = (await readWorkerdCpuMs()) - cpuBefore
	const analytics = await readJson(site, `/v1/assets/${video.assetId}/analytics?period=24h`)
	console.log(
		`${viewers} started in ${startSeconds.toFixed(0)} s: ${(viewers / startSeconds).toFixed(0)} a second`,
	)
	console.log(
		`${crowd.reports} reports in ${crowd.requests} requests, ${(cpuMs / crowd.reports).toFixed(2)} ms of CPU each`,
	)
	console.log(`attempts ${JSON.stringify(analytics.data.totals?.attempts)} of ${groups.length * GROUP}`)
}

/** Sends the reports that are due, the most overdue first, one request at a time. */
async function work(url: string, playbackId: string, crowd: Crowd, isOver: () => boolean): Promise<void> {
	while (!isOver()) {
		const now = performance.now()
		let due: Group | undefined
		for (const group of crowd.groups)
			if (group.state !== 'gone' && group.dueAt <= now && (!due || group.dueAt < due.dueAt)) due = group
		if (due) await report(url, playbackId, crowd, due, now)
		else await pause(50)
	}
}

async function report(
	url: string,
	playbackId: string,
	crowd: Crowd,
	group: Group,
	now: number,
): Promise<void> {
	const isEnd = group.state === 'leaving'
	if (group.dueAt > 0) crowd.lateMs = Math.max(crowd.lateMs, now - group.dueAt)
	group.dueAt = Number.POSITIVE_INFINITY
	if (group.seq++ === 0) group.startedAt = now
	const playedMs = Math.floor(now - group.startedAt)
	const { seq, tokens } = group
	const reports = group.ids.map((sessionId, k) => ({
		playbackId,
		sessionId,
		playedMs,
		seq,
		token: tokens[k],
		isEnd,
	}))
	const accepted = await sendReports(url, reports)
	crowd.requests++
	crowd.reports += reports.length
	group.tokens = group.ids.map((id) => accepted.find(({ sessionId }) => sessionId === id)?.token)
	for (const token of group.tokens) crowd.shards.add(shardIn(token ?? ''))
	if (group.state === 'waiting') group.state = 'watching'
	if (isEnd) group.state = 'gone'
	const intervalMs = Math.min(...accepted.map(({ nextBeatMs }) => nextBeatMs))
	// Players vary their intervals too.
	if (group.state === 'watching') group.dueAt = performance.now() + intervalMs * (0.9 + Math.random() * 0.2)
	// Asked to leave while its request was in flight.
	else if (group.state === 'leaving') group.dueAt = performance.now()
}

const shardIn = (token: string): string =>
	String(JSON.parse(Buffer.from(token.split('.')[1] ?? 'e30', 'base64url').toString()).shard)

async function liveCount(site: Site, assetId: string): Promise<number> {
	return (await readJson(site, `/v1/assets/${assetId}/live-count`)).data.viewers ?? Number.NaN
}

type Body = { data: { viewers?: number; totals?: { attempts: number } } }

async function readJson({ url, token }: Site, path: string): Promise<Body> {
	const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
	return (await response.json()) as Body
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { computePercentile } from '../lib/statistics.ts'
import type { Operations } from './counters.ts'
import { sendReports } from './reports.ts'
import { startCounting } from './workers.ts'

/** All viewers report again with each change, in one request, so that nobody seems to have left. */
const CHANGES = 4
/** Streams poll once a second, and use the previous count while another one reads. */
const POLLING_MS = 2_000
const GOAL_MS = 500
const OPENED_AT_ONCE = 50
const MAX_WAIT_MS = 20_000

/**
 * Measures the time from the response to a report that changes the viewer count until each client receives the count.
 */
export async function benchStreams(streams: number): Promise<void> {
	await using site = await startCounting()
	const [video] = await site.addVideos(1, 600_000)
	if (!video) return
	const start = (n: number) =>
		sendReports(
			site.url,
			Array.from({ length: n + 1 }, (_, k) => ({
				...{ playbackId: video.playbackId, sessionId: `viewer-${k}`, playedMs: 0, seq: n + 1 },
			})),
		)
	await start(0)
	const seen: { viewers: number; at: number }[] = []
	const sockets: Socket[] = []
	const open = () =>
		openStream(site.url, video.assetId, site.token, (viewers) =>
			seen.push({ viewers, at: performance.now() }),
		)
	while (sockets.length < streams)
		sockets.push(
			...(await Promise.all(
				Array.from({ length: Math.min(OPENED_AT_ONCE, streams - sockets.length) }, open),
			)),
		)
	await until(() => seen.length >= streams)
	await takeOperations(site.url)
	const openedAt = performance.now()
	const latenciesMs: number[] = []
	let missed = 0
	for (let n = 1; n <= CHANGES; n++) {
		seen.length = 0
		await start(n)
		const changedAt = performance.now()
		await until(() => seen.filter(({ viewers }) => viewers === n + 1).length >= streams)
		const arrived = seen.filter(({ viewers }) => viewers === n + 1)
		latenciesMs.push(...arrived.map(({ at }) => at - changedAt))
		missed += streams - arrived.length
		// Changes occur at random moments of the polling interval.
		await new Promise((done) => setTimeout(done, Math.random() * 1_000))
	}
	const seconds = (performance.now() - openedAt) / 1_000
	const { objectRequests } = await takeOperations(site.url)
	for (const socket of sockets) socket.destroy()
	const p = (share: number) => Math.round(computePercentile(latenciesMs, share))
	console.log(
		`${streams} streams, ${CHANGES} changes: p50 ${p(0.5)} ms, p99 ${p(0.99)} ms, highest ${p(1)} ms, missed ${missed}`,
	)
	console.log(
		`p99 after ${POLLING_MS} ms of polling: ${Math.max(0, p(0.99) - POLLING_MS)} ms (goal ${GOAL_MS})`,
	)
	const calls = objectRequests['PLAYBACK_SESSIONS.viewers'] ?? 0
	console.log(
		`calls of the object: ${calls} in ${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(2)} a second`,
	)
}

async function takeOperations(url: string): Promise<Operations> {
	return (await (await fetch(`${url}/operations`)).json()) as Operations
}

/** Over a bare socket: 3,000 responses of fetch cost more than the streams. */
async function openStream(
	url: string,
	assetId: string,
	token: string,
	onCount: (viewers: number) => void,
): Promise<Socket> {
	const { hostname, port, host } = new URL(url)
	const socket = connect({ host: hostname, port: Number(port), noDelay: true })
	await once(socket, 'connect')
	let text = ''
	socket.on('data', (chunk: Buffer) => {
		text += chunk.toString('latin1')
		for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
			const viewers = /"viewers":(\d+)/.exec(text.slice(0, end))?.[1]
			text = text.slice(end + 2)
			if (viewers !== undefined) onCount(Number(viewers))
		}
	})
	socket.on('error', () => undefined)
	socket.write(
		`GET /v1/assets/${assetId}/live-stream HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
	)
	await once(socket, 'data')
	return socket
}

async function until(isDone: () => boolean): Promise<void> {
	const endsAt = performance.now() + MAX_WAIT_MS
	while (!isDone() && performance.now() < endsAt) await new Promise((next) => setTimeout(next, 5))
}

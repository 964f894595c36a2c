import { listWorkerdPids, readResidentBytes } from '../lib/workerd.ts'
import { sendReports } from './reports.ts'
import { startInspected } from './workers.ts'

const MIB = 1024 ** 2
const SESSIONS_PER_REQUEST = 5
const CONNECTIONS = 16
const GOAL_MIB = 64

/** Measures the heap of the Worker after a garbage collection, before and after one object has many sessions. */
export async function benchMemory(viewers: number): Promise<void> {
	await using site = await startInspected()
	const [video, other] = await site.addVideos(2, 600_000)
	const sendAll = async (playbackId: string, count: number) => {
		let next = 0
		const work = async () => {
			while (next < count) {
				const from = next
				next += SESSIONS_PER_REQUEST
				for (const [seq, playedMs] of [[1, 0] as const, [2, 28_000] as const])
					await sendReports(
						site.url,
						Array.from({ length: SESSIONS_PER_REQUEST }, (_, k) => ({
							...{ playbackId, sessionId: `${playbackId}-${from + k}`, playedMs, seq },
						})),
					)
			}
		}
		await Promise.all(Array.from({ length: CONNECTIONS }, work))
	}
	// The code is compiled, and the heap has room for requests.
	await sendAll(other?.playbackId ?? '', 200)
	const [heapBefore, residentBefore] = [await site.usedHeapBytes(), await residentMemory()]
	await sendAll(video?.playbackId ?? '', viewers)
	const residentAfter = await residentMemory()
	const heapAfter = await site.usedHeapBytes()
	const mib = (bytes: number) => (bytes / MIB).toFixed(1)
	const grown = heapAfter - heapBefore
	console.log(`heap ${mib(heapBefore)} MiB before, ${mib(heapAfter)} MiB after, for ${viewers} sessions`)
	console.log(
		`grown by ${mib(grown)} MiB, ${(grown / viewers).toFixed(0)} bytes a session (goal ${GOAL_MIB} MiB)`,
	)
	console.log(`resident memory of workerd ${mib(residentBefore)} MiB before, ${mib(residentAfter)} MiB after`)
}

/** Includes the garbage of requests, and the local D1 and R2. */
async function residentMemory(): Promise<number> {
	const sizes = await Promise.all((await listWorkerdPids()).map(readResidentBytes))
	return sizes.reduce((sum, size) => sum + size, 0)
}

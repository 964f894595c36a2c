import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listWorkerdPids, readResidentBytes } from '../../../../../scripts/bench/lib/workerd.ts'
import { send, uploadByTus } from '../../../../../scripts/bench/upload/client.ts'
import { type RunningWorker, startWorker } from '../../../../support/shared/miniflare-worker.ts'
import { MIB, openUploader } from './film.node.ts'

/** Set by npm run prove -- tus for its longer run. */
const [SMALL = 0, LARGE = 0] = (process.env.UPLOAD_MIB || '10,200').split(',').map(Number)
const CHUNK_MIB = 50
/** Allows for garbage and caches. An upload held in memory would exceed this. */
const SLACK_BYTES = 96 * MIB

let worker: RunningWorker
let pid: number
beforeAll(async () => {
	const before = new Set(await listWorkerdPids())
	worker = await startWorker()
	pid = (await listWorkerdPids()).find((id) => !before.has(id)) ?? 0
})
afterAll(() => worker?.dispose())

/** Returns the peak memory of workerd, with its buckets and databases, while `act` runs. */
async function peakDuring(act: () => Promise<unknown>): Promise<number> {
	let peak = await readResidentBytes(pid)
	let watching = true
	const watch = (async () => {
		while (watching) {
			peak = Math.max(peak, await readResidentBytes(pid))
			await new Promise((resolve) => setTimeout(resolve, 20))
		}
	})()
	try {
		await act()
	} finally {
		watching = false
		await watch
	}
	return peak
}

type Uploader = Awaited<ReturnType<typeof openUploader>>
const base64 = (text: string) => Buffer.from(text).toString('base64')

const uploadMethods: Record<string, (uploader: Uploader, bytes: number) => Promise<unknown>> = {
	[`through TUS in chunks of ${CHUNK_MIB} MiB`]: (uploader, bytes) => byTus(uploader, bytes, CHUNK_MIB * MIB),
	'through TUS in one chunk': (uploader, bytes) => byTus(uploader, bytes, bytes),
	'as the body of one request': async (uploader, bytes) => {
		const { assetId } = await uploader.openAsset(bytes)
		const headers = { authorization: `Bearer ${uploader.session}` }
		const answer = await send(`${worker.url}/v1/assets/${assetId}/upload`, 'PUT', headers, bytes)
		expect(answer.statusCode).toBe(200)
	},
	[`in requests with Content-Range of ${CHUNK_MIB} MiB`]: async (uploader, bytes) => {
		const { assetId } = await uploader.openAsset(bytes)
		for (let start = 0; start < bytes; start += CHUNK_MIB * MIB) {
			const end = Math.min(bytes, start + CHUNK_MIB * MIB)
			const range = { 'content-range': `bytes ${start}-${end - 1}/${bytes}` }
			const headers = { authorization: `Bearer ${uploader.session}`, ...range }
			const answer = await send(`${worker.url}/v1/assets/${assetId}/upload`, 'PUT', headers, end - start)
			expect(answer.statusCode).toBe(end === bytes ? 200 : 308)
		}
	},
}

async function byTus(uploader: Uploader, bytes: number, chunk: number) {
	const { token, sourceKey } = await uploader.openAsset(bytes)
	const headers = { authorization: `Bearer ${token}`, 'upload-metadata': `filename ${base64(sourceKey)}` }
	await uploadByTus({ endpoint: `${worker.url}/upload/videos`, headers }, bytes, chunk)
}

describe('memory', () => {
	test.each(Object.entries(uploadMethods))(
		`the memory of the Worker stays constant from ${SMALL} to ${LARGE} MiB %s`,
		async (method, act) => {
			const uploader = await openUploader(worker)
			// A first upload allocates what is allocated only once, also for a whole chunk.
			await act(uploader, CHUNK_MIB * MIB)
			const small = await peakDuring(() => act(uploader, SMALL * MIB))
			const large = await peakDuring(() => act(uploader, LARGE * MIB))
			if (process.env.UPLOAD_MIB)
				console.log(
					`${method}: workerd used at most ${(small / MIB).toFixed(0)} MiB at ${SMALL} MiB and ${(large / MIB).toFixed(0)} MiB at ${LARGE} MiB`,
				)
			expect(large - small).toBeLessThan(SLACK_BYTES)
		},
	)
})

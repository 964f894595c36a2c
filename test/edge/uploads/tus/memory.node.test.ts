import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { residentBytes, workerdPids } from '../../../../scripts/bench/lib/workerd.ts'
import { send, uploadByTus } from '../../../../scripts/bench/upload/client.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { MIB, openStudio } from './film.node.ts'

/** Set by scripts/prove/tus.ts for the long form. */
const [SMALL = 0, LARGE = 0] = (process.env.UPLOAD_MIB || '20,200').split(',').map(Number)
/** What garbage and caches may differ by. What is held of an upload would be all of the difference in size. */
const SLACK_BYTES = 96 * MIB

let worker: RunningWorker
let pid: number
beforeAll(async () => {
	const before = new Set(await workerdPids())
	worker = await startWorker()
	pid = (await workerdPids()).find((id) => !before.has(id)) ?? 0
})
afterAll(() => worker?.dispose())

/** The most memory that workerd, buckets and databases included, had while this went on. */
async function peakDuring(act: () => Promise<unknown>): Promise<number> {
	let peak = await residentBytes(pid)
	let watching = true
	const watch = (async () => {
		while (watching) {
			peak = Math.max(peak, await residentBytes(pid))
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

type Studio = Awaited<ReturnType<typeof openStudio>>
const base64 = (text: string) => Buffer.from(text).toString('base64')

const ways: Record<string, (studio: Studio, bytes: number) => Promise<unknown>> = {
	'through TUS in chunks of 50 MiB': (studio, bytes) => byTus(studio, bytes, 50 * MIB),
	'through TUS in one chunk': (studio, bytes) => byTus(studio, bytes, bytes),
	'as the body of one request': async (studio, bytes) => {
		const { assetId } = await studio.openAsset(bytes)
		const headers = { authorization: `Bearer ${studio.session}` }
		const answer = await send(`${worker.url}/v1/assets/${assetId}/upload`, 'PUT', headers, bytes)
		expect(answer.statusCode).toBe(200)
	},
}

async function byTus(studio: Studio, bytes: number, chunk: number) {
	const { token, sourceKey } = await studio.openAsset(bytes)
	const headers = { authorization: `Bearer ${token}`, 'upload-metadata': `filename ${base64(sourceKey)}` }
	await uploadByTus({ endpoint: `${worker.url}/upload/videos`, headers }, bytes, chunk)
}

describe('memory', () => {
	test.each(Object.entries(ways))(`%s: of ${LARGE} MiB as of ${SMALL} MiB`, async (way, act) => {
		const studio = await openStudio(worker)
		// Twice, as the first one also pays for what is made once.
		await act(studio, SMALL * MIB)
		const small = await peakDuring(() => act(studio, SMALL * MIB))
		const large = await peakDuring(() => act(studio, LARGE * MIB))
		if (process.env.UPLOAD_MIB)
			console.log(
				`${way}: workerd had at most ${(small / MIB).toFixed(0)} MiB at ${SMALL} MiB and ${(large / MIB).toFixed(0)} MiB at ${LARGE} MiB`,
			)
		expect(large - small).toBeLessThan(SLACK_BYTES)
	})
})

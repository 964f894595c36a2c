import { randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../../../../support/shared/miniflare-worker.ts'
import { openCuttingProxy } from './cutting-proxy.node.ts'
import { MIB, openUploader, sha256 } from './film.node.ts'
import { uploadByClient } from './tus-client.node.ts'

/** Set by npm run prove -- tus for its longer run. */
const UPLOADS = Number(process.env.TUS_UPLOADS || 12)
const AT_ONCE = 3

let worker: RunningWorker
beforeAll(async () => {
	worker = await startWorker()
})
afterAll(() => worker?.dispose())

test(`${UPLOADS} uploads whose connection is reset at random bytes are stored unchanged`, async () => {
	const uploader = await openUploader(worker)
	const port = Number(new URL(worker.url).port)
	let started = 0
	let cuts = 0
	let bytes = 0

	async function one(): Promise<void> {
		const size = randomInt(1, 12 * MIB)
		const film = randomBytes(size)
		const asset = await uploader.openAsset(size)
		// Each number of bytes, headers included, resets one connection; after the last, connections stay open.
		const resetAfterBytes = Array.from({ length: randomInt(1, 6) }, () => randomInt(1, size + 1_000))
		const proxy = await openCuttingProxy(
			() => port,
			() => resetAfterBytes.pop(),
		)
		const shape = {
			chunkSize: [Number.POSITIVE_INFINITY, 5 * MIB, randomInt(100_000, 6 * MIB)][randomInt(3)] as number,
			uploadDataDuringCreation: randomInt(3) === 0,
		}
		try {
			await uploadByClient(film, { ...asset, ...shape, url: proxy.url })
			const storedDigest = await uploader.sourceDigest(asset.assetId)
			expect(storedDigest, `${size} bytes, ${JSON.stringify(shape)}`).toBe(sha256(film))
		} finally {
			cuts += proxy.cuts
			bytes += size
			await proxy.close()
		}
	}

	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			while (started++ < UPLOADS) await one()
		}),
	)
	expect(cuts).toBeGreaterThan(UPLOADS / 3)
	// This is the report of npm run prove -- tus.
	if (process.env.TUS_UPLOADS)
		console.log(`${UPLOADS} uploads, ${(bytes / MIB).toFixed(0)} MiB, ${cuts} cuts: every SHA-256 the same`)
})

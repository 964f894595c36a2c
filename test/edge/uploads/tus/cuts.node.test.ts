import { randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { openLine } from './cutting-proxy.node.ts'
import { MIB, openStudio, sha256 } from './film.node.ts'
import { uploadByClient } from './tus-client.node.ts'

/** Set by scripts/prove/tus.ts for the long form. */
const UPLOADS = Number(process.env.TUS_UPLOADS || 12)
const AT_ONCE = 3

let worker: RunningWorker
beforeAll(async () => {
	worker = await startWorker()
})
afterAll(() => worker?.dispose())

test(`${UPLOADS} uploads whose connection is cut at random bytes arrive as they were`, async () => {
	const studio = await openStudio(worker)
	const port = Number(new URL(worker.url).port)
	let begun = 0
	let cuts = 0
	let bytes = 0

	async function one(): Promise<void> {
		const size = randomInt(1, 12 * MIB)
		const film = randomBytes(size)
		const asset = await studio.openAsset(size)
		// Somewhere in what is left, headers and answers included; the last of them lets the rest through.
		const plan = Array.from({ length: randomInt(1, 6) }, () => randomInt(1, size + 1_000))
		const line = await openLine(
			() => port,
			() => plan.pop(),
		)
		const shape = {
			chunkSize: [Number.POSITIVE_INFINITY, 5 * MIB, randomInt(100_000, 6 * MIB)][randomInt(3)] as number,
			uploadDataDuringCreation: randomInt(3) === 0,
		}
		try {
			await uploadByClient(film, { ...asset, ...shape, url: line.url })
			const arrived = await studio.sourceDigest(asset.assetId)
			expect(arrived, `${size} bytes, ${JSON.stringify(shape)}`).toBe(sha256(film))
		} finally {
			cuts += line.cuts
			bytes += size
			await line.close()
		}
	}

	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			while (begun++ < UPLOADS) await one()
		}),
	)
	expect(cuts).toBeGreaterThan(UPLOADS / 3)
	// In the long form this is what there is to report.
	if (process.env.TUS_UPLOADS)
		console.log(`${UPLOADS} uploads, ${(bytes / MIB).toFixed(0)} MiB, ${cuts} cuts: every SHA-256 the same`)
})

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { workerdPids } from '../../../../scripts/bench/lib/workerd.ts'
import { startWorker } from '../../../support/shared/miniflare-worker.ts'
import { openLine } from './cutting-proxy.node.ts'
import { MIB, openStudio, sha256, sourceDigest } from './film.node.ts'
import { uploadByClient } from './tus-client.node.ts'

/** Set by scripts/prove/tus.ts for the long form. */
const RESTARTS = Number(process.env.TUS_RESTARTS || 2)

test(`a Worker that is killed ${RESTARTS} times during an upload loses nothing that it acknowledged`, async () => {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-restart-'))
	onTestFinished(() => rm(directory, { recursive: true, force: true }))
	let worker = await startKillable(directory)
	onTestFinished(() => worker.dispose())
	const line = await openLine(
		() => Number(new URL(worker.url).port),
		() => undefined,
	)
	onTestFinished(line.close)

	const film = randomBytes((RESTARTS + 1) * 7 * MIB + 123)
	const studio = await openStudio(worker)
	const asset = await studio.openAsset(film.byteLength)
	let acknowledged = 0
	let kills = 0
	let restarting: Promise<void> = Promise.resolve()

	const killAndStart = async () => {
		kills++
		process.kill(worker.pid, 'SIGKILL')
		await worker.dispose()
		worker = await startKillable(directory)
		// Asked past the line, so that the client finds out by itself.
		const asked = await fetch(`${worker.url}${location}`, {
			method: 'HEAD',
			headers: { authorization: `Bearer ${asset.token}`, 'tus-resumable': '1.0.0' },
		})
		expect(Number(asked.headers.get('upload-offset'))).toBeGreaterThanOrEqual(acknowledged)
	}
	let location = ''
	const upload = await uploadByClient(film, {
		...asset,
		url: line.url,
		chunkSize: 1_700_000,
		onUrl: (url) => {
			location = new URL(url).pathname
		},
		onChunkComplete: (_, accepted) => {
			acknowledged = accepted
			// The next chunk is on its way while the Worker dies.
			if (kills < RESTARTS && accepted > (kills + 1) * 7 * MIB) restarting = killAndStart()
		},
		// What fails is tried again when there is somebody to answer.
		beforeRequest: () => restarting,
	})
	await restarting
	expect(kills).toBe(RESTARTS)
	expect(upload.url).toContain(location)
	expect(await sourceDigest(worker, asset.assetId)).toBe(sha256(film))
})

/** With the id of the workerd that it runs on. */
async function startKillable(persistTo: string) {
	const before = new Set(await workerdPids())
	const worker = await startWorker({ persistTo })
	const [pid] = (await workerdPids()).filter((id) => !before.has(id))
	if (pid === undefined) throw new Error('no workerd was started')
	return { ...worker, pid }
}

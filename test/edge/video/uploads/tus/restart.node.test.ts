import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCuttingProxy } from './cutting-proxy.node.ts'
import { MIB, openUploader, sha256, sourceDigest } from './film.node.ts'
import { startKillable } from './killable-worker.node.ts'
import { uploadByClient } from './tus-client.node.ts'

/** Set by npm run prove -- tus for its longer run. */
const RESTARTS = Number(process.env.TUS_RESTARTS || 2)

test(`a Worker that is killed ${RESTARTS} times during an upload loses no acknowledged byte`, async () => {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-restart-'))
	onTestFinished(() => rm(directory, { recursive: true, force: true }))
	let worker = await startKillable(directory)
	onTestFinished(() => worker.dispose())
	const proxy = await openCuttingProxy(
		() => Number(new URL(worker.url).port),
		() => undefined,
	)
	onTestFinished(proxy.close)

	const film = randomBytes((RESTARTS + 1) * 7 * MIB + 123)
	const uploader = await openUploader(worker)
	const asset = await uploader.openAsset(film.byteLength)
	let acknowledged = 0
	let kills = 0
	let restarting: Promise<void> = Promise.resolve()

	const killAndStart = async () => {
		kills++
		process.kill(worker.pid, 'SIGKILL')
		await worker.dispose()
		worker = await startKillable(directory)
		// This request bypasses the proxy, so that the client detects the restart itself.
		const inspected = await fetch(`${worker.url}${location}`, {
			method: 'HEAD',
			headers: { authorization: `Bearer ${asset.token}`, 'tus-resumable': '1.0.0' },
		})
		expect(Number(inspected.headers.get('upload-offset'))).toBeGreaterThanOrEqual(acknowledged)
	}
	let location = ''
	const upload = await uploadByClient(film, {
		...asset,
		url: proxy.url,
		chunkSize: 1_700_000,
		onUrl: (url) => {
			location = new URL(url).pathname
		},
		onChunkComplete: (_, accepted) => {
			acknowledged = accepted
			// The client already sends the next chunk while the Worker is killed.
			if (kills < RESTARTS && accepted > (kills + 1) * 7 * MIB) restarting = killAndStart()
		},
		// Retries wait until the Worker runs again.
		beforeRequest: () => restarting,
	})
	await restarting
	expect(kills).toBe(RESTARTS)
	expect(upload.url).toContain(location)
	expect(await sourceDigest(worker, asset.assetId)).toBe(sha256(film))
})

import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'
import { expect, onTestFinished, test } from 'vitest'
import { Playhouse, type UploadState } from '../../../sdk/src/index.ts'
import { openCuttingProxy } from '../../edge/video/uploads/tus/cutting-proxy.node.ts'
import { MIB, sha256 } from '../../edge/video/uploads/tus/film.node.ts'

test('the reference server of TUS accepts an upload over connections that break', async () => {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-tus-'))
	onTestFinished(() => rm(directory, { recursive: true, force: true }))
	const tus = new Server({ path: '/upload/videos', datastore: new FileStore({ directory }) })
	const server = createServer((request, response) => {
		if (request.url?.startsWith('/upload/videos')) return void tus.handle(request, response)
		response.end(JSON.stringify({ data: { token: 'upload', sourceKey: 'src' } }))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		server.closeAllConnections()
		server.close()
	})
	const cuts = [1, 2, 3].map(() => randomInt(1_000, MIB))
	const proxy = await openCuttingProxy(
		() => (server.address() as AddressInfo).port,
		() => cuts.pop(),
	)
	onTestFinished(() => proxy.close())
	const bytes = randomBytes(5 * MIB + 7)
	let state: UploadState | undefined
	await new Playhouse({ baseUrl: proxy.url }).uploads.send(new Blob([bytes]), {
		assetId: 'ast_1',
		wholeUpToBytes: 0,
		chunkBytes: MIB,
		onState: (begun) => {
			state = begun
		},
	})
	expect(proxy.cuts).toBeGreaterThan(0)
	const [id = ''] = /[^/]+$/.exec(state?.url ?? '') ?? []
	expect(sha256(await readFile(join(directory, id)))).toBe(sha256(bytes))
})

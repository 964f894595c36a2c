import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

export type RestartingWorker = { url: string; restart(): Promise<void>; dispose(): Promise<void> }

/** Starts a Worker that keeps its address and its data when it is killed. */
export async function startRestartingWorker(): Promise<RestartingWorker> {
	const persistTo = await mkdtemp(join(tmpdir(), 'playhouse-streams-'))
	let worker: RunningWorker = await startWorker({ persistTo })
	const open = new Set<Socket>()
	const front = createServer((client) => {
		const server = connect(Number(new URL(worker.url).port), '127.0.0.1')
		for (const [socket, other] of [
			[client, server],
			[server, client],
		] as const) {
			open.add(socket)
			socket.pipe(other)
			socket.on('error', () => other.destroy())
			socket.on('close', () => {
				open.delete(socket)
				other.destroy()
			})
		}
	}).listen(0, '127.0.0.1')
	await once(front, 'listening')
	return {
		url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
		async restart() {
			for (const socket of open) socket.destroy()
			await worker.dispose()
			worker = await startWorker({ persistTo })
		},
		async dispose() {
			for (const socket of open) socket.destroy()
			front.close()
			await worker.dispose()
			await rm(persistTo, { recursive: true, force: true })
		},
	}
}

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/**
 * Opens a proxy to the Worker. `nextCut` returns after how many bytes the next connection is reset, if at all. `onBytes` is
 * called with the number of bytes that have arrived from clients.
 */
export async function openCuttingProxy(
	target: () => number,
	nextCut: () => number | undefined,
	onBytes: (received: number) => void = () => {},
) {
	const open = new Set<Socket>()
	let cuts = 0
	let received = 0
	const server = createServer((client) => {
		const worker = connect(target(), '127.0.0.1')
		open.add(client)
		client.on('close', () => open.delete(client))
		let left = nextCut()
		const cut = () => {
			client.resetAndDestroy()
			worker.resetAndDestroy()
		}
		client.on('data', (bytes: Buffer) => {
			received += bytes.byteLength
			onBytes(received)
			if (left !== undefined && bytes.byteLength > left) {
				cuts++
				worker.write(bytes.subarray(0, left), cut)
				client.pause()
				left = undefined
				return
			}
			if (left !== undefined) left -= bytes.byteLength
			if (!worker.write(bytes)) {
				client.pause()
				worker.once('drain', () => client.resume())
			}
		})
		worker.on('data', (bytes: Buffer) => client.write(bytes))
		worker.on('close', () => client.destroy())
		client.on('close', () => worker.destroy())
		// A reset connection also ends the one on the other side of the proxy.
		client.on('error', () => worker.destroy())
		worker.on('error', () => client.destroy())
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		get cuts() {
			return cuts
		},
		get received() {
			return received
		},
		close: async () => {
			for (const socket of open) socket.destroy()
			await new Promise((resolve) => server.close(resolve))
		},
	}
}

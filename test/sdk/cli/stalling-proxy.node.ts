import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Opens a proxy that stops passing bytes to the target after `limit`, until `release`. */
export async function openStallingProxy(target: string, limit: number) {
	const open = new Set<Socket>()
	const waiting = new Set<Socket>()
	let left = limit
	let passed = 0
	let onStall = () => {}
	const stalled = new Promise<void>((resolve) => {
		onStall = resolve
	})
	const server = createServer((client) => {
		const worker = connect(Number(new URL(target).port), '127.0.0.1')
		for (const socket of [client, worker]) {
			open.add(socket)
			socket.on('error', () => {})
			socket.on('close', () => {
				client.destroy()
				worker.destroy()
			})
		}
		client.on('data', (bytes: Buffer) => {
			passed += bytes.length
			left -= bytes.length
			worker.write(bytes)
			if (left > 0) return
			client.pause()
			waiting.add(client)
			onStall()
		})
		worker.pipe(client)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		/** Resolves when the proxy has passed `limit` bytes. */
		stalled,
		get passed() {
			return passed
		},
		release() {
			left = Number.POSITIVE_INFINITY
			for (const socket of waiting) socket.resume()
		},
		close: async () => {
			for (const socket of open) socket.destroy()
			await new Promise((resolve) => server.close(resolve))
		},
	}
}

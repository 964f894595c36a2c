import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy with a fixed address whose target can stop, restart and hang, like an edge behind a network. */
export async function openFailingProxy() {
	let target: URL | null = null
	let isHanging = false
	let receivedBytes = 0
	const sockets = new Set<Socket>()
	const connections = new Set<() => void>()
	const server = createServer((client) => {
		sockets.add(client)
		client.on('error', () => client.destroy()).on('close', () => sockets.delete(client))
		if (isHanging) return
		if (!target) return client.destroy()
		const upstream = connect(Number(target.port), target.hostname)
		upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
		client.on('close', () => upstream.destroy())
		client.on('data', ({ length }) => {
			receivedBytes += length
		})
		client.pipe(upstream).pipe(client)
		const dropData = () => {
			client.unpipe(upstream).resume()
			upstream.unpipe(client).resume()
		}
		connections.add(dropData)
		client.on('close', () => connections.delete(dropData))
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const breakConnections = () => {
		for (const socket of sockets) socket.destroy()
	}
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		forwardTo: (url: string) => {
			target = new URL(url)
		},
		/** Bytes received so far. */
		receivedBytes: () => receivedBytes,
		/** Breaks every open connection; new ones work. */
		breakConnections,
		/** Stops listening. */
		stop: () => {
			target = null
			breakConnections()
		},
		/** Silently drops the data of open connections; new ones work. */
		stall: () => {
			for (const dropData of connections) dropData()
		},
		/** Accepts new connections and never answers. */
		hang: () => {
			isHanging = true
			breakConnections()
		},
		async [Symbol.asyncDispose]() {
			server.close()
			breakConnections()
			await once(server, 'close')
		},
	}
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy with a fixed address whose target can stop, restart and hang, like an edge behind a network. */
export async function openFrontDoor() {
	let target: URL | null = null
	let hanging = false
	let carried = 0
	const sockets = new Set<Socket>()
	const pairs = new Set<() => void>()
	const server = createServer((front) => {
		sockets.add(front)
		front.on('error', () => front.destroy()).on('close', () => sockets.delete(front))
		if (hanging) return
		if (!target) return front.destroy()
		const back = connect(Number(target.port), target.hostname)
		back.on('error', () => front.destroy()).on('close', () => front.destroy())
		front.on('close', () => back.destroy())
		front.on('data', ({ length }) => {
			carried += length
		})
		front.pipe(back).pipe(front)
		const silence = () => {
			front.unpipe(back).resume()
			back.unpipe(front).resume()
		}
		pairs.add(silence)
		front.on('close', () => pairs.delete(silence))
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const cut = () => {
		for (const socket of sockets) socket.destroy()
	}
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		leadTo: (url: string) => {
			target = new URL(url)
		},
		/** Bytes received so far. */
		carried: () => carried,
		/** Breaks every open connection; new ones work. */
		cut,
		/** Stops listening. */
		shut: () => {
			target = null
			cut()
		},
		/** Silently drops the data of open connections; new ones work. */
		stall: () => {
			for (const silence of pairs) silence()
		},
		/** Accepts new connections and never answers. */
		hang: () => {
			hanging = true
			cut()
		},
		async [Symbol.asyncDispose]() {
			server.close()
			cut()
			await once(server, 'close')
		},
	}
}

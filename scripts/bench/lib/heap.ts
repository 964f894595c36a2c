import { once } from 'node:events'

type Reply = { id?: number; result: { usedSize?: number } }

/** Collects garbage in a Worker and returns how many bytes of its heap are in use. */
export async function readUsedHeapBytes(inspectorUrl: URL): Promise<number> {
	const socket = new WebSocket(inspectorUrl)
	await once(socket, 'open')
	try {
		await call(socket, 1, 'HeapProfiler.collectGarbage')
		const { usedSize = Number.NaN } = await call(socket, 2, 'Runtime.getHeapUsage')
		return usedSize
	} finally {
		socket.close()
	}
}

function call(socket: WebSocket, id: number, method: string): Promise<Reply['result']> {
	return new Promise((resolve, reject) => {
		socket.addEventListener('close', () => reject(new Error('the inspector was closed')))
		socket.addEventListener('message', ({ data }) => {
			const reply = JSON.parse(String(data)) as Reply
			if (reply.id === id) resolve(reply.result)
		})
		socket.send(JSON.stringify({ id, method }))
	})
}

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Load = {
	url: string
	headers: Record<string, string>
	requests: number
	connections: number
	/** Makes the requests POST requests. Gets the number of the connection and the response before; null for the first. */
	bodyOf?: (connection: number, before: string | null) => string
	/** The expected status, by default 200. */
	status?: number
}
export type LoadResult = { perSecond: number; latenciesMs: number[] }

/**
 * Sends requests in a closed loop over keep-alive connections. Uses sockets, because node:http costs more CPU than a
 * fast response, on the machine that is being measured.
 */
export async function generateLoad(load: Load): Promise<LoadResult> {
	const { url, headers, requests, connections, bodyOf, status: expected = 200 } = load
	const { hostname, port, host, pathname, search } = new URL(url)
	const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
	const head = `${bodyOf ? 'POST' : 'GET'} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`
	const requestWith = (body: string) => `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
	const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))))
	const latenciesMs: number[] = []
	let left = requests
	const startedAt = performance.now()
	await Promise.all(
		sockets.map(async (socket, connection) => {
			let before: string | null = null
			while (left-- > 0) {
				const request: string = bodyOf ? requestWith(bodyOf(connection, before)) : `${head}\r\n`
				const sentAt = performance.now()
				socket.write(request)
				before = await readResponse(socket)
				const status = Number(before.slice(9, 12))
				if (status !== expected) throw new Error(`${url} returned ${status}: ${before}`)
				latenciesMs.push(performance.now() - sentAt)
			}
		}),
	)
	const seconds = (performance.now() - startedAt) / 1000
	for (const socket of sockets) socket.destroy()
	return { perSecond: requests / seconds, latenciesMs }
}

async function open(host: string, port: number): Promise<Socket> {
	const socket = connect({ host, port, noDelay: true })
	await once(socket, 'connect')
	return socket
}

/** Returns the response as text, with its head. */
function readResponse(socket: Socket): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = ''
		const finish = (act: () => void) => {
			socket.off('data', take).off('error', fail).off('close', fail)
			act()
		}
		const fail = (error?: unknown) =>
			finish(() => reject(error instanceof Error ? error : new Error('the connection was closed')))
		const take = (chunk: Buffer) => {
			// latin1 has one character a byte, so string lengths are byte lengths.
			text += chunk.toString('latin1')
			if (isComplete(text)) finish(() => resolve(text))
		}
		socket.on('data', take).on('error', fail).on('close', fail)
	})
}

function isComplete(text: string): boolean {
	const end = text.indexOf('\r\n\r\n')
	if (end === -1) return false
	const head = text.slice(0, end)
	const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
	if (length !== undefined) return text.length >= end + 4 + Number(length)
	return /\r\ntransfer-encoding: *chunked/i.test(head) && text.endsWith('\r\n0\r\n\r\n')
}

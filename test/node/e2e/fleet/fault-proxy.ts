import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** What a machine is at, as it can be told from outside by what it sends. */
export type Point =
	| 'register'
	| 'claim'
	| 'heartbeat'
	| 'outputs'
	| 'put'
	| 'source'
	| 'complete'
	| 'fail'
	| 'release'
	| 'other'

/** `before`: the edge has not seen it. `after`: the edge has done it, and the machine has not heard of it. */
export type Fault =
	| { kind: 'refuse' }
	| { kind: 'lose' }
	| { kind: 'double' }
	| { kind: 'status'; status: number }
	| { kind: 'act'; when: 'before' | 'after'; act: () => Promise<void> }

export type Exchange = { point: Point; path: string; status: number | null; request: unknown; reply: unknown }

export type FaultProxy = {
	url: string
	/** Changes when the edge comes back elsewhere. */
	target: string
	/** Every exchange of which the edge's reply is known, also of one that the machine never got. */
	history: Exchange[]
	close(): Promise<void>
}

/** Stands between one machine and the edge; `choose` is asked about each request, with its number at that point. */
export async function startFaultProxy(
	target: string,
	choose: (point: Point, number: number, path: string) => Fault | undefined,
): Promise<FaultProxy> {
	const counts = new Map<Point, number>()
	const sockets = new Set<Socket>()
	const server = createServer((incoming, outgoing) => {
		serve(incoming, outgoing).catch(() => outgoing.destroy())
	})
	server.on('connection', (socket) => {
		sockets.add(socket)
		socket.once('close', () => sockets.delete(socket))
	})
	server.on('upgrade', (incoming, socket, head) => {
		const up = request(proxy.target + incoming.url, { headers: incoming.headers })
		up.on('upgrade', (reply, upstream, upHead) => {
			const lines = reply.rawHeaders.flatMap((text, index, all) =>
				index % 2 === 0 ? [`${text}: ${all[index + 1]}`] : [],
			)
			socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
			socket.write(upHead)
			upstream.write(head)
			upstream.pipe(socket).pipe(upstream)
			const end = () => [upstream, socket].forEach((one) => void one.destroy())
			for (const one of [upstream, socket]) one.on('error', end).on('close', end)
		})
		up.on('response', () => socket.destroy())
		up.on('error', () => socket.destroy())
		up.end()
	})

	async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const path = incoming.url ?? '/'
		const point = pointOf(incoming.method ?? 'GET', path)
		const number = (counts.get(point) ?? 0) + 1
		counts.set(point, number)
		const fault = choose(point, number, path)
		if (fault?.kind === 'refuse') return void outgoing.destroy()
		if (fault?.kind === 'status') {
			incoming.resume()
			return void outgoing
				.writeHead(fault.status, { 'content-type': 'application/json' })
				.end('{"error":"chaos"}')
		}
		if (fault?.kind === 'act' && fault.when === 'before') await fault.act()
		// Bytes stream through; only what is small is held, to be read and to be sent again.
		const isSmall = point !== 'put' && point !== 'source' && point !== 'other'
		const body = isSmall ? await readAll(incoming) : null
		let reply = await forward(proxy.target, incoming, body)
		if (fault?.kind === 'double' && body) {
			await readAll(reply)
			reply = await forward(proxy.target, incoming, body)
		}
		const answer = isSmall ? await readAll(reply) : null
		proxy.history.push({
			point,
			path,
			status: reply.statusCode ?? null,
			request: body && jsonIn(body),
			reply: answer && jsonIn(answer),
		})
		if (fault?.kind === 'act') await fault.act()
		if (fault?.kind === 'lose' || (fault?.kind === 'act' && fault.when === 'after')) {
			reply.destroy()
			return void outgoing.destroy()
		}
		outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
		if (answer) outgoing.end(answer)
		else reply.pipe(outgoing)
	}

	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const proxy: FaultProxy = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		target,
		history: [],
		async close() {
			for (const socket of sockets) socket.destroy()
			server.close()
			await once(server, 'close')
		},
	}
	return proxy
}

function pointOf(method: string, path: string): Point {
	const said = /^\/v1\/fleet\/(?:(claim)|tasks\/[^/]+\/(\w+))/.exec(path)
	if (said) return pointNamed(said[1] ?? said[2])
	if (path.startsWith('/v1/diagnostics/workers')) return path.includes('heartbeat') ? 'other' : 'register'
	if (path.startsWith('/s3/')) return method === 'PUT' ? 'put' : 'source'
	return 'other'
}

const named: readonly Point[] = ['claim', 'heartbeat', 'outputs', 'complete', 'fail', 'release']
const pointNamed = (name: string | undefined): Point => named.find((point) => point === name) ?? 'other'

function forward(target: string, incoming: IncomingMessage, body: Buffer | null): Promise<IncomingMessage> {
	return new Promise((done, failed) => {
		const up = request(target + incoming.url, { method: incoming.method, headers: incoming.headers }, done)
		up.on('error', failed)
		if (body) up.end(body)
		else incoming.pipe(up)
		incoming.on('close', () => incoming.complete || up.destroy())
	})
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
	const chunks: Buffer[] = []
	for await (const chunk of stream) chunks.push(chunk)
	return Buffer.concat(chunks)
}

function jsonIn(bytes: Buffer): unknown {
	try {
		return JSON.parse(bytes.toString())
	} catch {
		return null
	}
}

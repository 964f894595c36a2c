import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { TaskKind } from '#schema/contract/video/tasks.ts'

export type When = 'before' | 'within' | 'after'

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

/** `refuse`: the edge never sees it. `lose`: the edge has done it, and the machine never hears of it. */
export type Fault =
	| { kind: 'refuse' }
	| { kind: 'lose' }
	| { kind: 'double' }
	| { kind: 'status'; status: number }
	| { kind: 'act'; act: () => Promise<void> }

/** Which of a machine's requests, and for which task, as far as it has one. */
export type Place = { when: When; point: Point; task: string | undefined; kind: TaskKind | undefined }

export type Exchange = { point: Point; path: string; status: number | null; request: unknown; reply: unknown }

export type FaultProxy = {
	url: string
	/** Changes when the edge comes back elsewhere. */
	target: string
	/** Every exchange of which the edge's reply is known, also of one that the machine never got. */
	history: Exchange[]
	close(): Promise<void>
}

export type ProxyOptions = {
	target: string
	/** Nobody is given work before. */
	gate: Promise<void>
	choose(place: Place): Promise<Fault | undefined>
}

/** Stands between one machine and the edge; `choose` is asked about each request. */
export async function startFaultProxy({ target, gate, choose }: ProxyOptions): Promise<FaultProxy> {
	const kinds = new Map<string, TaskKind>()
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
		socket.on('error', () => socket.destroy())
		up.end()
	})

	function placeOf(incoming: IncomingMessage): Omit<Place, 'when'> {
		const path = incoming.url ?? '/'
		const task = path
			.split(/[/?]/)
			.map((part) => part.replace(/-\d+$/, ''))
			.find((part) => kinds.has(part))
		return { point: pointOf(incoming.method ?? 'GET', path), task, kind: kinds.get(task ?? '') }
	}

	async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const path = incoming.url ?? '/'
		let place = placeOf(incoming)
		const { point } = place
		if (point === 'claim') await gate
		// Whoever asked may have lost patience, and must not be given what nobody would work at.
		if (outgoing.destroyed) return
		const fault = await choose({ when: 'before', ...place })
		if (fault?.kind === 'refuse') return void outgoing.destroy()
		if (fault?.kind === 'status') {
			incoming.resume()
			return void outgoing
				.writeHead(fault.status, { 'content-type': 'application/json' })
				.end('{"error":"chaos"}')
		}
		if (fault?.kind === 'act') await fault.act()
		// Bytes stream through; only what is small is held, to be read and to be sent again.
		const isSmall = point !== 'put' && point !== 'source' && point !== 'other'
		const within =
			point === 'put' || point === 'source' ? await choose({ when: 'within', ...place }) : undefined
		const act = within?.kind === 'act' ? within.act : null
		const body = isSmall ? await readAll(incoming) : null
		let reply = await forward(proxy.target, incoming, body, point === 'put' ? act : null)
		if (fault?.kind === 'double' && body) {
			await readAll(reply)
			reply = await forward(proxy.target, incoming, body, null)
		}
		const answer = isSmall ? await readAll(reply) : null
		const said = { request: body && jsonIn(body), reply: answer && jsonIn(answer) }
		proxy.history.push({ point, path, status: reply.statusCode ?? null, ...said })
		if (point === 'claim') {
			const task = taskIn(said.reply)
			if (task) kinds.set(task.id, task.spec.kind)
			place = { point, task: task?.id, kind: task?.spec.kind }
		}
		// The end of a claim that found nothing is no point.
		const isPoint = point !== 'claim' || place.task !== undefined
		const end = isPoint ? await choose({ when: 'after', ...place }) : undefined
		if (end?.kind === 'act') await end.act()
		if (end?.kind === 'lose') {
			reply.destroy()
			return void outgoing.destroy()
		}
		outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
		if (answer) outgoing.end(answer)
		else if (point === 'source' && act)
			Readable.from(halted(reply, act))
				.on('error', () => outgoing.destroy())
				.pipe(outgoing)
		else reply.on('error', () => outgoing.destroy()).pipe(outgoing)
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

type GivenTask = { id: string; epoch: number; spec: { kind: TaskKind } }

/** What a claim was answered with. */
export const taskIn = (reply: unknown): GivenTask | undefined =>
	(reply as { data?: { task?: GivenTask | null } } | null)?.data?.task ?? undefined

function pointOf(method: string, path: string): Point {
	const said = /^\/v1\/fleet\/(?:(claim)|tasks\/[^/]+\/(\w+))/.exec(path)
	if (said) return pointNamed(said[1] ?? said[2])
	if (path.startsWith('/v1/diagnostics/workers')) return path.includes('heartbeat') ? 'other' : 'register'
	if (path.startsWith('/s3/')) return method === 'PUT' ? 'put' : 'source'
	return 'other'
}

const named: readonly Point[] = ['claim', 'heartbeat', 'outputs', 'complete', 'fail', 'release']
const pointNamed = (name: string | undefined): Point => named.find((point) => point === name) ?? 'other'

function forward(
	target: string,
	incoming: IncomingMessage,
	body: Buffer | null,
	act: (() => Promise<void>) | null,
): Promise<IncomingMessage> {
	// What is read here comes as it is.
	const headers = { ...incoming.headers, ...(body && { 'accept-encoding': 'identity' }) }
	return new Promise((done, failed) => {
		const up = request(target + incoming.url, { method: incoming.method, headers }, done)
		up.on('error', failed)
		if (body) up.end(body)
		else if (act)
			Readable.from(halted(incoming, act))
				.on('error', (error) => up.destroy(error))
				.pipe(up)
		else incoming.pipe(up)
		incoming.on('close', () => incoming.complete || up.destroy())
	})
}

/** The first half of it, then what happens then, then the rest, if anybody is left to send or to take it. */
async function* halted(bytes: IncomingMessage, act: () => Promise<void>): AsyncGenerator<Buffer> {
	const half = Number(bytes.headers['content-length'] ?? 2) / 2
	let seen = 0
	let isActed = false
	for await (const chunk of bytes as AsyncIterable<Buffer>) {
		const first = isActed ? chunk.length : Math.max(0, Math.ceil(half) - seen)
		yield chunk.subarray(0, first)
		seen += chunk.length
		if (!isActed && seen >= half) {
			isActed = true
			await act()
			if (first < chunk.length) yield chunk.subarray(first)
		}
	}
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

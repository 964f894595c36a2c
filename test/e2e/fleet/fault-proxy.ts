import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { TaskKind } from '#schema/contract/video/tasks.ts'

export type When = 'before' | 'within' | 'after'

/** What a machine does, as its requests show. */
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

/** `refuse`: the edge does not get the request. `lose`: the machine does not get the response. */
export type Fault =
	| { kind: 'refuse' }
	| { kind: 'lose' }
	| { kind: 'double' }
	| { kind: 'status'; status: number }
	| { kind: 'act'; act: () => Promise<void> }

/** Which of a machine's requests, and for which task if there is one. */
export type Place = { when: When; point: Point; task: string | undefined; kind: TaskKind | undefined }

export type Exchange = { point: Point; path: string; status: number | null; request: unknown; reply: unknown }

export type FaultProxy = {
	url: string
	/** Changes when the edge restarts at another URL. */
	target: string
	/** Every request that the edge answered, also if the machine did not get the response. */
	history: Exchange[]
	close(): Promise<void>
}

export type ProxyOptions = {
	target: string
	/** Each claim waits for it. */
	untilClaimable(): Promise<void>
	/** Called when a claim got a task. */
	onLease(): void
	choose(place: Place): Promise<Fault | undefined>
}

/** A proxy between one machine and the edge; `choose` decides on the fault of each request. */
export async function startFaultProxy({
	target,
	untilClaimable,
	onLease,
	choose,
}: ProxyOptions): Promise<FaultProxy> {
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
			const end = () => [upstream, socket].forEach((each) => void each.destroy())
			for (const each of [upstream, socket]) each.on('error', end).on('close', end)
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
		if (point === 'claim') await untilClaimable()
		// After a timeout of the machine, a claim would lease a task that nobody works on.
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
		// Files are streamed; small bodies are kept in order to read them and to send them again.
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
		const replyBody = isSmall ? await readAll(reply) : null
		const bodies = { request: body && jsonIn(body), reply: replyBody && jsonIn(replyBody) }
		proxy.history.push({ point, path, status: reply.statusCode ?? null, ...bodies })
		if (point === 'claim') {
			const task = taskIn(bodies.reply)
			if (task) kinds.set(task.id, task.spec.kind)
			if (task) onLease()
			place = { point, task: task?.id, kind: task?.spec.kind }
		}
		// A claim that found no task is not a point.
		const isPoint = point !== 'claim' || place.task !== undefined
		const end = isPoint ? await choose({ when: 'after', ...place }) : undefined
		if (end?.kind === 'act') await end.act()
		if (end?.kind === 'lose') {
			reply.destroy()
			return void outgoing.destroy()
		}
		outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
		if (replyBody) outgoing.end(replyBody)
		else if (point === 'source' && act)
			Readable.from(interrupted(reply, act))
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

type LeasedTask = { id: string; epoch: number; spec: { kind: TaskKind } }

/** The task in the response of a claim. */
export const taskIn = (reply: unknown): LeasedTask | undefined =>
	(reply as { data?: { task?: LeasedTask | null } } | null)?.data?.task ?? undefined

function pointOf(method: string, path: string): Point {
	const match = /^\/v1\/fleet\/(?:(claim)|tasks\/[^/]+\/(\w+))/.exec(path)
	if (match) return toPoint(match[1] ?? match[2])
	if (path.startsWith('/v1/diagnostics/workers')) return path.includes('heartbeat') ? 'other' : 'register'
	if (path.startsWith('/s3/')) return method === 'PUT' ? 'put' : 'source'
	return 'other'
}

const fleetPoints: readonly Point[] = ['claim', 'heartbeat', 'outputs', 'complete', 'fail', 'release']
const toPoint = (name: string | undefined): Point => fleetPoints.find((point) => point === name) ?? 'other'

function forward(
	target: string,
	incoming: IncomingMessage,
	body: Buffer | null,
	act: (() => Promise<void>) | null,
): Promise<IncomingMessage> {
	// Bodies that are read here must not be compressed.
	const headers = { ...incoming.headers, ...(body && { 'accept-encoding': 'identity' }) }
	return new Promise((done, failed) => {
		const up = request(target + incoming.url, { method: incoming.method, headers }, done)
		up.on('error', failed)
		if (body) up.end(body)
		else if (act)
			Readable.from(interrupted(incoming, act))
				.on('error', (error) => up.destroy(error))
				.pipe(up)
		else incoming.pipe(up)
		incoming.on('close', () => incoming.complete || up.destroy())
	})
}

/** Yields the first half, calls `act`, and yields the rest. */
async function* interrupted(bytes: IncomingMessage, act: () => Promise<void>): AsyncGenerator<Buffer> {
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

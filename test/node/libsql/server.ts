import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Connection } from './connection.ts'
import type { Pipeline } from './hrana.ts'

/** As in libsql-server: a stream that nobody asked for this long is rolled back and gone. */
const STREAM_EXPIRES_AFTER_MS = 10_000

export type LibsqlServer = {
	/** Of one database; `${url}/{name}/` is another, made when it is first asked. The slash matters to the client. */
	url: string
	/** Every pipeline that was let in, as it came. */
	pipelines: Pipeline[]
	/** Stops listening, so connections are refused; what is stored stays. */
	stop(): Promise<void>
	/** Listens again, at the same address. */
	resume(): Promise<void>
	/** How many pipelines have come in so far, held back or not. */
	readonly arrived: number
	/** Holds every answer back until the promise is done, for tests that need statements in flight. */
	holdUntil(promise: Promise<unknown>): void
	[Symbol.asyncDispose](): Promise<void>
}

/**
 * Stands in for libsql-server, which has no package here: Hrana 2 and 3 over HTTP as JSON, over libSQL's own engine.
 * Not offered, and answered 404 as by an older server: protobuf, cursors, WebSockets.
 */
export async function startLibsqlServer(options: { authToken?: string } = {}): Promise<LibsqlServer> {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-libsql-'))
	const streams = new Map<string, { connection: Connection; expiry: NodeJS.Timeout }>()
	const pipelines: Pipeline[] = []
	let arrived = 0
	let gate: Promise<unknown> = Promise.resolve()

	const server = createServer((request, response) => {
		serve(request, response).catch((error: Error) => reply(response, 400, error.message))
	})

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const [, name = 'data', door] =
			/^(?:\/([\w-]+))??\/(v[23]|v[23]\/pipeline|health)$/.exec(request.url ?? '') ?? []
		if (request.method !== (door?.endsWith('pipeline') ? 'POST' : 'GET') || !door)
			return reply(response, 404, '')
		if (request.method === 'GET') return reply(response, 200, 'libSQL')
		if (options.authToken && request.headers.authorization !== `Bearer ${options.authToken}`)
			return reply(response, 401, { error: 'Unauthorized: the token is missing or wrong' })
		const pipeline: Pipeline = JSON.parse(await text(request))
		arrived++
		await gate
		pipelines.push(pipeline)
		const connection = pipeline.baton ? take(pipeline.baton) : new Connection(join(directory, `${name}.db`))
		if (!connection) return reply(response, 400, 'Received an invalid baton')
		const results = pipeline.requests.map((one) => connection.answer(one))
		reply(response, 200, { baton: connection.open ? keep(connection) : null, base_url: null, results })
	}

	/** A baton opens its stream once; the answer carries the next one. */
	function take(baton: string): Connection | undefined {
		const stream = streams.get(baton)
		streams.delete(baton)
		clearTimeout(stream?.expiry)
		return stream?.connection
	}

	function keep(connection: Connection): string {
		const baton = randomBytes(48).toString('base64url')
		const expiry = setTimeout(() => take(baton)?.close(), STREAM_EXPIRES_AFTER_MS)
		streams.set(baton, { connection, expiry })
		return baton
	}

	async function listen(port: number): Promise<number> {
		server.listen(port, '127.0.0.1')
		await once(server, 'listening')
		return (server.address() as AddressInfo).port
	}

	async function stop(): Promise<void> {
		if (!server.listening) return
		const closed = once(server, 'close')
		server.close()
		server.closeAllConnections()
		await closed
	}

	const port = await listen(0)
	return {
		url: `http://127.0.0.1:${port}`,
		pipelines,
		get arrived() {
			return arrived
		},
		stop,
		async resume() {
			await listen(port)
		},
		holdUntil(promise) {
			gate = promise
		},
		async [Symbol.asyncDispose]() {
			await stop()
			for (const baton of streams.keys()) take(baton)?.close()
			await rm(directory, { recursive: true, force: true })
		},
	}
}

function reply(response: ServerResponse, status: number, body: string | object): void {
	const json = typeof body === 'object'
	response.writeHead(status, { 'content-type': json ? 'application/json' : 'text/plain' })
	response.end(json ? JSON.stringify(body) : body)
}

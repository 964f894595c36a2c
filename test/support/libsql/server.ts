import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'libsql'
import { Connection } from './connection.ts'
import type { Pipeline } from './hrana.ts'

/** As in libsql-server: a stream is rolled back and closed after this time without a request. */
const STREAM_EXPIRES_AFTER_MS = 10_000

/** Idle connections that are kept for later streams. Each holds three open files, and most databases are used briefly. */
const MAX_IDLE_CONNECTIONS = 16

export type LibsqlServer = {
	/** URL of one database; `${url}/{name}/` is another, created at its first request. The client needs the slash. */
	url: string
	/** Every pipeline that was executed. */
	pipelines: Pipeline[]
	/** Stops listening, so connections are refused; the data is kept. */
	stop(): Promise<void>
	/** Listens again at the same URL. */
	resume(): Promise<void>
	/** Every pipeline that was received, including those that `holdUntil` delays. */
	readonly arrived: readonly Pipeline[]
	/** Delays pipelines until the promise resolves, for tests that need concurrent requests: all, or those that are chosen. */
	holdUntil(promise: Promise<unknown>, isHeld?: (pipeline: Pipeline) => boolean): void
	[Symbol.asyncDispose](): Promise<void>
}

/** A connection and the name of its database. */
type Stream = { name: string; connection: Connection }

/**
 * Replaces libsql-server, which has no npm package: Hrana 2 and 3 over HTTP as JSON, with libSQL's engine. Requests of
 * protobuf, cursors and WebSockets get 404, as from an older server.
 */
export async function startLibsqlServer(
	options: { authToken?: string; template?: readonly string[] } = {},
): Promise<LibsqlServer> {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-libsql-'))
	const template = options.template && makeTemplate(join(directory, 'template'), options.template)
	const streams = new Map<string, Stream & { expiry: NodeJS.Timeout }>()
	const idle: Stream[] = []
	const pipelines: Pipeline[] = []
	const arrived: Pipeline[] = []
	let holdBack = async (_: Pipeline): Promise<unknown> => undefined

	const server = createServer((request, response) => {
		serve(request, response).catch((error: Error) => reply(response, 400, error.message))
	})

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const [, name = 'data', endpoint] =
			/^(?:\/([\w-]+))??\/(v[23]|v[23]\/pipeline|health)$/.exec(request.url ?? '') ?? []
		if (request.method !== (endpoint?.endsWith('pipeline') ? 'POST' : 'GET') || !endpoint)
			return reply(response, 404, '')
		if (request.method === 'GET') return reply(response, 200, 'libSQL')
		if (options.authToken && request.headers.authorization !== `Bearer ${options.authToken}`)
			return reply(response, 401, { error: 'Unauthorized: the token is missing or wrong' })
		const pipeline: Pipeline = JSON.parse(await text(request))
		arrived.push(pipeline)
		await holdBack(pipeline)
		pipelines.push(pipeline)
		const stream = pipeline.baton ? resume(pipeline.baton) : { name, connection: connect(name) }
		if (!stream) return reply(response, 400, 'Received an invalid baton')
		const results = pipeline.requests.map((each) => stream.connection.respond(each))
		const baton = stream.connection.open ? suspend(stream) : null
		reply(response, 200, { baton, base_url: null, results })
		if (!baton) release(stream)
	}

	function connect(name: string): Connection {
		const at = idle.findIndex((each) => each.name === name)
		if (at === -1) return new Connection(fileOf(name))
		const [{ connection }] = idle.splice(at, 1) as [Stream]
		connection.reopen()
		return connection
	}

	function release(stream: Stream): void {
		if (stream.connection.reusable) idle.push(stream)
		else stream.connection.dispose()
		if (idle.length > MAX_IDLE_CONNECTIONS) idle.shift()?.connection.dispose()
	}

	function fileOf(name: string): string {
		const file = join(directory, `${name}.db`)
		if (template && !existsSync(file)) copyFileSync(template, file)
		return file
	}

	/** A baton opens its stream once; the response has the next baton. */
	function resume(baton: string): Stream | undefined {
		const stream = streams.get(baton)
		streams.delete(baton)
		clearTimeout(stream?.expiry)
		return stream
	}

	function suspend({ name, connection }: Stream): string {
		const baton = randomBytes(48).toString('base64url')
		const expiry = setTimeout(() => expire(baton), STREAM_EXPIRES_AFTER_MS)
		streams.set(baton, { name, connection, expiry })
		return baton
	}

	function expire(baton: string): void {
		const stream = resume(baton)
		stream?.connection.close()
		if (stream) release(stream)
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
		arrived,
		stop,
		async resume() {
			await listen(port)
		},
		holdUntil(promise, isHeld = () => true) {
			holdBack = async (pipeline) => isHeld(pipeline) && promise
		},
		async [Symbol.asyncDispose]() {
			await stop()
			for (const baton of streams.keys()) expire(baton)
			for (const { connection } of idle) connection.dispose()
			await rm(directory, { recursive: true, force: true })
		},
	}
}

/** Creates the database file that each new database is copied from. */
function makeTemplate(file: string, statements: readonly string[]): string {
	const db = new Database(file)
	// Small pages: each table and index has at least one page, and each test copies the file.
	db.exec('PRAGMA page_size = 1024')
	for (const statement of statements) db.exec(statement)
	db.close()
	return file
}

function reply(response: ServerResponse, status: number, body: string | object): void {
	const json = typeof body === 'object'
	response.writeHead(status, { 'content-type': json ? 'application/json' : 'text/plain' })
	response.end(json ? JSON.stringify(body) : body)
}

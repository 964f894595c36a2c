import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * A webhook receiver in a process of its own. Prints its port, then a JSON line for each request. The first argument
 * says how it responds.
 */
const [behavior = 'ok', certificate] = process.argv.slice(2)
let requests = 0
const waiting: ServerResponse[] = []

const behaviors: Record<string, RequestListener> = {
	ok: (_, response) => response.end('thanks'),
	slow: (_, response) => setTimeout(() => response.end('thanks'), 3_000),
	hanging: () => undefined,
	/** Responds once two requests are running. */
	pairing: (_, response) => {
		waiting.push(response)
		if (waiting.length === 2) for (const one of waiting) one.end('thanks')
	},
	resetting: ({ socket }) => socket.destroy(),
	failing: (_, response) => response.writeHead(500).end('broken'),
	throttling: (_, response) =>
		requests === 1 ? response.writeHead(429, { 'retry-after': '2' }).end() : response.end('thanks'),
	gone: (_, response) => response.writeHead(410).end(),
	redirecting: (request, response) =>
		response.writeHead(307, { location: `http://${request.headers.host}/elsewhere` }).end(),
	huge: (_, response) => {
		const write = () => {
			while (!response.destroyed && response.write('x'.repeat(65_536)));
		}
		response.on('drain', write)
		write()
	},
	// Has processed the event, but the sender never hears of it.
	dying: () => process.exit(1),
}

const listener: RequestListener = async (request, response) => {
	requests++
	const body = await text(request)
	console.log(JSON.stringify({ path: request.url, headers: request.headers, body }))
	behaviors[behavior]?.(request, response)
}
const server = certificate
	? createTlsServer(JSON.parse(certificate) as { key: string; cert: string }, listener)
	: createServer(listener)
// Not the address of the Worker, which must not call itself.
server.listen(0, '127.0.0.2', () => console.log((server.address() as AddressInfo).port))

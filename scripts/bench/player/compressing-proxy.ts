import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, constants } from 'node:zlib'

type Stored = { status: number; headers: Record<string, string>; body: Buffer }

const IMMUTABLE = 'public, max-age=31536000, immutable'
const COMPRESSIBLE = /^(text\/|application\/(json|javascript|vnd\.apple\.mpegurl))/
/** Cloudflare compresses at a level that it can keep up with. */
const BROTLI_QUALITY = 5
/** What the proxy of a response must not copy. */
const HOP_HEADERS = ['connection', 'content-length', 'content-encoding', 'keep-alive', 'transfer-encoding']

export type ProxyOptions = {
	/** The Worker that answers everything else. */
	origin: string
	files: ReadonlyMap<string, { type: string; body: Buffer }>
	pages: ReadonlyMap<string, string>
}

/**
 * Serves the Worker and the baseline pages from one origin, as Cloudflare would: text is compressed, and public
 * responses are cached in memory. Pages without a shared cache come from the Worker each time.
 */
export async function openCompressingProxy({ origin, files, pages }: ProxyOptions) {
	const kept = new Map<string, Stored>()
	for (const [path, { type, body }] of files)
		kept.set(path, compressed({ status: 200, headers: headersOf(type, IMMUTABLE), body }))
	for (const [path, text] of pages) {
		const headers = headersOf('text/html; charset=utf-8', 'private, no-cache')
		kept.set(path, compressed({ status: 200, headers, body: Buffer.from(text) }))
	}

	const answer = async (request: IncomingMessage): Promise<Stored> => {
		const path = request.url ?? '/'
		const range = request.headers.range
		const key = `${path} ${range ?? ''}`
		const stored = kept.get(path) ?? kept.get(key)
		if (stored) return stored
		const response = await fetch(origin + path, {
			method: request.method ?? 'GET',
			redirect: 'manual',
			headers: { 'accept-encoding': 'identity', ...(range && { range }) },
		})
		const headers = Object.fromEntries([...response.headers].filter(([name]) => !HOP_HEADERS.includes(name)))
		const fresh = compressed({
			status: response.status,
			headers,
			body: Buffer.from(await response.arrayBuffer()),
		})
		const isPublic = headers['cache-control']?.startsWith('public')
		if (isPublic && response.ok && request.method === 'GET') kept.set(key, fresh)
		return fresh
	}
	const server = createServer((request, response) => {
		answer(request).then(
			(stored) => send(response, stored),
			() => response.writeHead(502).end(),
		)
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections()
			server.close()
			await once(server, 'close')
		},
	}
}

const headersOf = (type: string, cacheControl: string) => ({
	'content-type': type,
	'cache-control': cacheControl,
})

function compressed({ status, headers, body }: Stored): Stored {
	// A range refers to the bytes of the file, so a compressed one could not be decoded.
	const isCompressible = status !== 206 && COMPRESSIBLE.test(headers['content-type'] ?? '')
	if (!isCompressible || body.length === 0) return { status, headers, body }
	const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
	return {
		status,
		headers: { ...headers, 'content-encoding': 'br' },
		body: brotliCompressSync(body, { params }),
	}
}

const send = (response: ServerResponse, { status, headers, body }: Stored) =>
	response.writeHead(status, { ...headers, 'content-length': body.length }).end(body)

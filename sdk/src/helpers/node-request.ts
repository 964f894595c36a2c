import { loadNodeModule } from './node-module.ts'
import type { BodylessRequest, BodyWatch, FilePart } from './upload-parts.ts'

type Incoming = AsyncIterable<Uint8Array<ArrayBuffer>> & { statusCode: number; rawHeaders: string[] }
type Outgoing = {
	readonly writableFinished: boolean
	on(event: 'response', listener: (incoming: Incoming) => void): Outgoing
	on(event: 'error', listener: (error: Error) => void): Outgoing
	write(bytes: Uint8Array, done: (error?: Error | null) => void): void
	end(): void
	destroy(error?: unknown): void
}
type Http = { request(url: string, options: object): Outgoing }

type Body = Pick<FilePart, 'size' | 'read'>

const BUFFER_BYTES = 256 * 1024

/**
 * Sends a part of a file by node:http, which reports when bytes are written, so that one buffer is enough. With `fetch`,
 * every piece needs new memory: hundreds of megabytes before the garbage collection runs.
 */
export async function sendByNode(
	url: string,
	{ method, headers, body, signal }: BodylessRequest & { body: Body },
	watch: BodyWatch,
): Promise<Response> {
	const { request } = await loadNodeModule<Http>(url.startsWith('https:') ? 'node:https' : 'node:http')
	const outgoing = request(url, { method, headers: { ...headers, 'content-length': body.size }, signal })
	const response = new Promise<Incoming>((resolve, reject) => {
		outgoing.on('response', resolve).on('error', reject)
	})
	writeBody(outgoing, body, watch).catch((error) => outgoing.destroy(error))
	try {
		return await readResponse(await response)
	} finally {
		// The server may respond before it has read the body.
		if (!outgoing.writableFinished) outgoing.destroy()
	}
}

async function writeBody(outgoing: Outgoing, body: Body, watch: BodyWatch): Promise<void> {
	const buffer = new Uint8Array(Math.min(BUFFER_BYTES, body.size))
	for (let sent = 0; sent < body.size; ) {
		const length = await body.read(buffer, sent).catch((error) => {
			watch.failure = error
			throw error
		})
		await new Promise<void>((resolve, reject) =>
			outgoing.write(buffer.subarray(0, length), (error) => (error ? reject(error) : resolve())),
		)
		sent += length
		try {
			watch.onSent?.(sent)
		} catch (error) {
			watch.failure = error
			throw error
		}
	}
	outgoing.end()
}

async function readResponse(incoming: Incoming): Promise<Response> {
	const { statusCode: status, rawHeaders } = incoming
	const headers = new Headers()
	for (let index = 0; index < rawHeaders.length; index += 2)
		headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
	const parts: Uint8Array<ArrayBuffer>[] = []
	for await (const part of incoming) parts.push(part)
	return new Response(status === 204 ? null : new Blob(parts), { status, headers })
}

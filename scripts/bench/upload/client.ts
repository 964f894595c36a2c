import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'

/** Sent repeatedly; the content of an upload does not matter. */
const block = Buffer.alloc(1024 ** 2, 'playhouse')

/** Sends one request with a body of `bytes` bytes, as fast as the server reads. */
export async function send(
	url: string,
	method: string,
	headers: OutgoingHttpHeaders,
	bytes: number,
): Promise<IncomingMessage> {
	const sending = request(url, { method, headers: { ...headers, 'content-length': bytes } })
	const pendingResponse = once(sending, 'response') as Promise<[IncomingMessage]>
	pendingResponse.catch(() => undefined)
	for (let left = bytes; left > 0; left -= block.byteLength)
		if (!sending.write(block.subarray(0, Math.min(left, block.byteLength)))) await once(sending, 'drain')
	sending.end()
	const [response] = await pendingResponse
	response.resume()
	await once(response, 'end')
	return response
}

type TusServer = { endpoint: string; headers: OutgoingHttpHeaders }

/** Uploads in chunks, as TUS clients do. */
export async function uploadByTus({ endpoint, headers }: TusServer, bytes: number, chunkBytes: number) {
	const tusHeaders = { 'tus-resumable': '1.0.0', ...headers }
	const created = await send(endpoint, 'POST', { ...tusHeaders, 'upload-length': bytes }, 0)
	if (created.statusCode !== 201) throw new Error(`${endpoint} returned ${created.statusCode} to POST`)
	const location = new URL(String(created.headers.location), endpoint).href
	for (let at = 0; at < bytes; at += chunkBytes) {
		const append = { ...tusHeaders, 'content-type': 'application/offset+octet-stream', 'upload-offset': at }
		const response = await send(location, 'PATCH', append, Math.min(chunkBytes, bytes - at))
		if (response.statusCode !== 204) throw new Error(`${location} returned ${response.statusCode} at ${at}`)
	}
}

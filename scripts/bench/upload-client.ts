import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'

/** Sent again and again: what is measured is where bytes go, not what they say. */
const block = Buffer.alloc(1024 ** 2, 'playhouse')

/** One request with a body of so many bytes, written as fast as they are taken. */
export async function send(
	url: string,
	method: string,
	headers: OutgoingHttpHeaders,
	bytes: number,
): Promise<IncomingMessage> {
	const sending = request(url, { method, headers: { ...headers, 'content-length': bytes } })
	const answered = once(sending, 'response') as Promise<[IncomingMessage]>
	answered.catch(() => undefined)
	for (let left = bytes; left > 0; left -= block.byteLength)
		if (!sending.write(block.subarray(0, Math.min(left, block.byteLength)))) await once(sending, 'drain')
	sending.end()
	const [response] = await answered
	response.resume()
	await once(response, 'end')
	return response
}

type TusServer = { endpoint: string; headers: OutgoingHttpHeaders }

/** A whole upload in chunks, as TUS clients send it. */
export async function uploadByTus({ endpoint, headers }: TusServer, bytes: number, chunkBytes: number) {
	const spoken = { 'tus-resumable': '1.0.0', ...headers }
	const made = await send(endpoint, 'POST', { ...spoken, 'upload-length': bytes }, 0)
	if (made.statusCode !== 201) throw new Error(`${endpoint} answered ${made.statusCode} to POST`)
	const location = new URL(String(made.headers.location), endpoint).href
	for (let at = 0; at < bytes; at += chunkBytes) {
		const append = { ...spoken, 'content-type': 'application/offset+octet-stream', 'upload-offset': at }
		const answer = await send(location, 'PATCH', append, Math.min(chunkBytes, bytes - at))
		if (answer.statusCode !== 204) throw new Error(`${location} answered ${answer.statusCode} at ${at}`)
	}
}

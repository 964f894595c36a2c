import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string }
export type Answer = (response: ServerResponse, request: Received) => void

/** Starts a server that sends the given responses in order, then repeats the last. The server stops with the test. */
export async function startFailingServer(
	...answers: Answer[]
): Promise<{ url: string; received: Received[] }> {
	const received: Received[] = []
	const server = createServer(async (request, response) => {
		const answer = answers[Math.min(received.length, answers.length - 1)]
		const { method = '', url: path = '', headers } = request
		const one = { method, path, headers, body: '' }
		received.push(one)
		one.body = await text(request).catch(() => '')
		answer?.(response, one)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		server.closeAllConnections()
		server.close()
	})
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

/** Responds with a status and a body. Errors have `Retry-After: 0`. */
export const answer =
	(status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
	(response) =>
		response
			.writeHead(status, {
				'content-type': 'application/json',
				...(status >= 400 && { 'retry-after': '0' }),
				...headers,
			})
			.end(typeof body === 'string' ? body : JSON.stringify(body))

export const breakConnection: Answer = (response) => response.destroy()

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
	PlayerEvent,
	sendPlayerEvents,
} from '../../../../../schema/contract/watch/analytics/player-events.ts'

type Received = { event: PlayerEvent; contentType: string | undefined }

/**
 * A server in front of the Worker that takes reports, with a page at `/`. It receives those of a page that is gone, too, which the browser
 * sends without the page.
 */
export async function openReportServer(workerUrl: string, html: string) {
	const received: Received[] = []
	const server = createServer(async (request, response) => {
		if (request.url === sendPlayerEvents.path) {
			const { events } = JSON.parse(await text(request))
			received.push({ event: PlayerEvent.parse(events[0]), contentType: request.headers['content-type'] })
			response.writeHead(202, { 'access-control-allow-origin': '*' }).end('{"data":{"sessions":[]}}')
			return
		}
		if (request.url === '/') {
			response.writeHead(200, { 'content-type': 'text/html' }).end(html)
			return
		}
		const { body, status, headers } = await fetch(workerUrl + request.url)
		const kept = [...headers].filter(([name]) => !['content-encoding', 'content-length'].includes(name))
		response.writeHead(status, Object.fromEntries(kept))
		if (body) Readable.fromWeb(body).pipe(response)
		else response.end()
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections()
			server.close()
		},
	}
}

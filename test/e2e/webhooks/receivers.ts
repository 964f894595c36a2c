import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedEvent = {
	id: string
	type: string
	timestamp: string
	sequence: number
	data: { assetId: string; title: string }
}

export type Receiver = {
	url: string
	/** Every request, in the order of arrival; an event may occur twice. */
	received: { event: ReceivedEvent; delayMs: number }[]
}

/** Not the address of the Worker, which must not call itself. */
const HOST = '127.0.0.2'

/** Starts one server for many receivers, each with a path of its own. */
export async function startReceivers() {
	const byPath = new Map<string, Receiver & { respond(response: ServerResponse): void }>()
	const server = createServer(async (request, response) => {
		const event: ReceivedEvent = JSON.parse(await text(request))
		const receiver = byPath.get(request.url ?? '')
		receiver?.received.push({ event, delayMs: Date.now() - Date.parse(event.timestamp) })
		receiver?.respond(response)
	})
	server.listen(0, HOST)
	await once(server, 'listening')
	const { port } = server.address() as AddressInfo
	return {
		add(path: string, respond: (response: ServerResponse) => void): Receiver {
			const receiver = { url: `http://${HOST}:${port}${path}`, received: [], respond }
			byPath.set(path, receiver)
			return receiver
		},
		/** The URL of a receiver whose computer is switched off. */
		closedUrl: `http://${HOST}:1/`,
		async stop() {
			server.closeAllConnections()
			server.close()
			await once(server, 'close')
		},
	}
}

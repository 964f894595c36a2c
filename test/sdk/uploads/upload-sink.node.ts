import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const ID = 'a'.repeat(22)

type SinkOptions = {
	onRequest?: (request: IncomingMessage) => unknown
	/** Awaited before the body of a request is read. */
	beforeBody?: (request: IncomingMessage) => unknown
	/** The status of each response to a body, which is sent before the body is read. */
	refuseWith?: number
	/** Computing a digest of gigabytes would take seconds. */
	hasDigest?: boolean
}

/** Starts a server that takes the uploads of one asset, whole or by TUS, and keeps none of their bytes. */
export async function startUploadSink({
	onRequest,
	beforeBody,
	refuseWith,
	hasDigest = true,
}: SinkOptions = {}) {
	const hash = createHash('sha256')
	const requests: string[] = []
	let stored = 0
	const server = createServer(async (request, response) => {
		const { method = '', url = '', headers } = request
		onRequest?.(request)
		requests.push(`${method} ${headers['upload-offset'] ?? ''}`.trim())
		response.setHeader('access-control-allow-origin', '*')
		response.setHeader('access-control-allow-headers', '*, authorization')
		response.setHeader('access-control-allow-methods', '*')
		response.setHeader('access-control-expose-headers', '*')
		const reply = (data: object) => response.end(JSON.stringify({ data }))
		if (method === 'OPTIONS') return response.end()
		if (url.endsWith('/upload-token')) return reply({ token: 'upload', sourceKey: 'src' })
		if (url.endsWith('/upload-url')) return reply({ uploadUrl: `${address}/whole`, headers: {} })
		if (url.endsWith('/upload-complete')) return reply({})
		if (method === 'POST') return response.writeHead(201, { location: `/upload/videos/${ID}` }).end()
		if (method === 'HEAD') return response.writeHead(200, { 'upload-offset': stored }).end()
		if (refuseWith) return response.writeHead(refuseWith).end('refused')
		await beforeBody?.(request)
		try {
			for await (const bytes of request) {
				if (hasDigest) hash.update(bytes)
				stored += bytes.length
			}
		} catch {
			// The client broke the connection. What arrived is stored.
		}
		response.writeHead(204, { 'upload-offset': stored }).end()
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	onTestFinished(() => {
		server.closeAllConnections()
		server.close()
	})
	return {
		url: address,
		requests,
		get stored() {
			return stored
		},
		digest: () => hash.copy().digest('hex'),
	}
}

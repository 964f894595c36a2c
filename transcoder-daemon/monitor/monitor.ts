import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../config.ts'
import { describeReason, type Log } from '../log.ts'
import type { Activity } from '../run/activity.ts'
import { renderMetrics } from './metrics.ts'

const HOST = '127.0.0.1'
const REQUEST_MS = 5_000
const MAX_HEADER_BYTES = 8_192

type Answer = { status: number; type: string; text: string }

/**
 * Serves `/metrics` and `/healthz` on this machine until the signal. Other machines can't connect, and browser pages
 * are rejected by their host name.
 */
export async function openMonitor(
	port: number,
	snapshot: () => Activity,
	log: Log,
	signal: AbortSignal,
): Promise<void> {
	const server = createServer(
		{ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: MAX_HEADER_BYTES },
		(request, response) => send(request, response, answerTo(request, snapshot)),
	)
	server.listen(port, HOST)
	try {
		await once(server, 'listening')
	} catch (error) {
		throw new ConfigError([`PLAYHOUSE_METRICS_PORT: can't listen on port ${port} (${describeReason(error)})`])
	}
	// A problem of the monitor must not stop the work.
	server.on('error', (error) => log.warn('the monitor has a problem', { reason: describeReason(error) }))
	const close = () => {
		server.close()
		server.closeAllConnections()
	}
	if (signal.aborted) return close()
	signal.addEventListener('abort', close)
	log.info('monitor listens', { host: HOST, port: (server.address() as AddressInfo).port })
}

function answerTo({ method, url, headers }: IncomingMessage, snapshot: () => Activity): Answer {
	const plain = (status: number, text: string): Answer => ({
		status,
		type: 'text/plain; charset=utf-8',
		text,
	})
	if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '')) return plain(403, 'wrong host\n')
	if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET\n')
	const path = url?.split('?', 1)[0]
	if (path === '/metrics')
		return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: renderMetrics(snapshot()) }
	if (path !== '/healthz') return plain(404, 'there are /metrics and /healthz\n')
	const { state, isConnected } = snapshot()
	// An unreachable edge is no reason to restart the machine: its tasks continue.
	const text = `${JSON.stringify({ ok: true, state, isConnected })}\n`
	return { status: 200, type: 'application/json', text }
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, text }: Answer): void {
	response.writeHead(status, {
		'content-type': type,
		'content-length': Buffer.byteLength(text),
		'cache-control': 'no-store',
		'x-content-type-options': 'nosniff',
	})
	response.end(request.method === 'HEAD' ? undefined : text)
}

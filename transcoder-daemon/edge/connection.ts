import {
	connectMachine,
	FleetMessage,
	SOCKET_PING,
	SOCKET_PONG,
	SOCKET_REPLACED,
} from '#schema/contract/video/fleet.ts'
import { computeBackoffMs } from '../backoff.ts'
import type { Log } from '../log.ts'
import type { Sleep } from '../time.ts'

/** Routers drop silent connections after a minute or more; a ping keeps this one open. */
export const PING_MS = 25_000
const OPEN_MS = 15_000
const RETRY = { firstMs: 1_000, capMs: 60_000 }

export type ConnectionOptions = {
	edgeUrl: string
	/** Read at each attempt, since heartbeats renew it. */
	token(): string
	/** The edge has work. Also called after each connect, for calls that were missed meanwhile. */
	onWake(): void
	onConnected(isConnected: boolean): void
	pingMs: number
	sleep: Sleep
	random(): number
	log: Log
}

/** Keeps a socket to the edge open, reconnecting until the signal ends it. Without one the machine still polls. */
export async function holdConnection(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
	const url = options.edgeUrl.replace(/^http/, 'ws') + connectMachine.path
	let failures = 0
	while (!signal.aborted) {
		const socket = new WebSocket(url, { headers: { authorization: `Bearer ${options.token()}` } })
		const { isOpened, code } = await listen(socket, options, signal)
		options.onConnected(false)
		if (signal.aborted) return
		if (code === SOCKET_REPLACED) options.log.warn('another connection of this machine replaced this one')
		else if (isOpened) options.log.info('connection to the edge lost', { code })
		else if (failures === 0) options.log.warn("can't connect to the edge; polling meanwhile", { code })
		failures = isOpened && code !== SOCKET_REPLACED ? 0 : failures + 1
		await options.sleep(computeBackoffMs(failures, RETRY, options.random), signal)
	}
}

/** Resolves when the socket is closed by either side, or after an unanswered ping. */
function listen(
	socket: WebSocket,
	options: ConnectionOptions,
	signal: AbortSignal,
): Promise<{ isOpened: boolean; code: number | null }> {
	return new Promise((done) => {
		let isOpened = false
		let pinged = false
		let timer = setTimeout(end, OPEN_MS)

		function ping() {
			// No answer to the last ping: the connection is dead, though the system does not know it yet.
			if (pinged) return end()
			pinged = true
			socket.send(SOCKET_PING)
			timer = setTimeout(ping, options.pingMs)
		}
		function finish(code: number | null) {
			clearTimeout(timer)
			signal.removeEventListener('abort', end)
			done({ isOpened, code })
		}
		// Does not wait for the closing handshake, which a dead peer never sends.
		function end() {
			finish(null)
			socket.close()
		}

		signal.addEventListener('abort', end, { once: true })
		socket.addEventListener('open', () => {
			isOpened = true
			options.log.info('connected')
			clearTimeout(timer)
			ping()
			options.onConnected(true)
			options.onWake()
		})
		socket.addEventListener('message', ({ data }) => {
			pinged = false
			if (data !== SOCKET_PONG && messageIn(data)?.type === 'wake') options.onWake()
		})
		socket.addEventListener('close', ({ code }) => finish(code))
	})
}

function messageIn(text: unknown): FleetMessage | undefined {
	try {
		return FleetMessage.safeParse(JSON.parse(String(text))).data
	} catch {
		return undefined
	}
}

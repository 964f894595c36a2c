import {
	connectMachine,
	FleetMessage,
	SOCKET_PING,
	SOCKET_PONG,
	SOCKET_REPLACED,
} from '#schema/contract/fleet.ts'
import { backoffMs } from './backoff.ts'
import type { Log } from './log.ts'
import type { Sleep } from './time.ts'

/** A network box between forgets a silent connection after a minute or more; a ping keeps it known. */
export const PING_MS = 25_000
const OPEN_MS = 15_000
const RETRY = { firstMs: 1_000, capMs: 60_000 }

export type Line = {
	edgeUrl: string
	/** Asked anew at each try: heartbeats renew it. */
	token(): string
	/** The edge asks to look for work. Also after each connect, for what was called out while nobody listened. */
	onWake(): void
	onConnected(isConnected: boolean): void
	pingMs: number
	sleep: Sleep
	random(): number
	log: Log
}

/** Holds a socket to the edge, again and again, until the signal ends it. Without one the machine still polls. */
export async function holdConnection(line: Line, signal: AbortSignal): Promise<void> {
	const url = line.edgeUrl.replace(/^http/, 'ws') + connectMachine.path
	let failures = 0
	while (!signal.aborted) {
		const socket = new WebSocket(url, { headers: { authorization: `Bearer ${line.token()}` } })
		const { opened, code } = await listen(socket, line, signal)
		line.onConnected(false)
		if (signal.aborted) return
		if (code === SOCKET_REPLACED)
			line.log.warn('another connection of this machine took the place of this one')
		else if (opened) line.log.info('connection to the edge lost', { code })
		else if (failures === 0) line.log.warn('no connection to the edge; polling until there is one', { code })
		failures = opened && code !== SOCKET_REPLACED ? 0 : failures + 1
		await line.sleep(backoffMs(failures, RETRY, line.random), signal)
	}
}

/** Until the socket is closed, by either side or by silence. */
function listen(
	socket: WebSocket,
	line: Line,
	signal: AbortSignal,
): Promise<{ opened: boolean; code: number | null }> {
	return new Promise((done) => {
		let opened = false
		let pinged = false
		let timer = setTimeout(end, OPEN_MS)

		function ping() {
			// Nothing came back since the last one: the connection is dead, though the system does not know it yet.
			if (pinged) return end()
			pinged = true
			socket.send(SOCKET_PING)
			timer = setTimeout(ping, line.pingMs)
		}
		function finish(code: number | null) {
			clearTimeout(timer)
			signal.removeEventListener('abort', end)
			done({ opened, code })
		}
		// Does not wait for the other side's goodbye, which from a dead one never comes.
		function end() {
			finish(null)
			socket.close()
		}

		signal.addEventListener('abort', end, { once: true })
		socket.addEventListener('open', () => {
			opened = true
			line.log.info('connected')
			clearTimeout(timer)
			ping()
			line.onConnected(true)
			line.onWake()
		})
		socket.addEventListener('message', ({ data }) => {
			pinged = false
			if (data !== SOCKET_PONG && messageIn(data)?.type === 'wake') line.onWake()
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

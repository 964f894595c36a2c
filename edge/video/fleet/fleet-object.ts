import { DurableObject } from 'cloudflare:workers'
import {
	type FleetMessage,
	SOCKET_NOT_ALLOWED,
	SOCKET_PING,
	SOCKET_PONG,
	SOCKET_REPLACED,
} from '#schema/contract/video/fleet.ts'
import type { Bindings } from '../../platform/env.ts'
import { MACHINE_HEADER } from './machine-header.ts'

/**
 * One object for the whole fleet. It holds the machines' sockets and hibernates while they are idle. A wake-up is only
 * a hint: the work is in the database, so a lost wake-up costs one poll interval and no job.
 */
export class Fleet extends DurableObject<Bindings> {
	/** Open progress streams by organization, each with its latest end. Kept in memory only. */
	readonly #streams = new Map<string, Map<string, number>>()

	constructor(ctx: DurableObjectState, env: Bindings) {
		super(ctx, env)
		ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(SOCKET_PING, SOCKET_PONG))
	}

	override async fetch(request: Request): Promise<Response> {
		const machineId = request.headers.get(MACHINE_HEADER)
		if (machineId === null) return new Response(null, { status: 403 })
		// A machine that lost its network reconnects long before this side detects that the old socket is dead.
		for (const older of this.ctx.getWebSockets(machineId)) older.close(SOCKET_REPLACED, 'replaced')
		const { 0: client, 1: server } = new WebSocketPair()
		this.ctx.acceptWebSocket(server, [machineId])
		return new Response(null, { status: 101, webSocket: client })
	}

	/** Wakes the given machines, or all of them, to claim work now. Returns how many sockets got the message. */
	wake(hint: { machineIds?: readonly string[] } = {}): number {
		const sockets = hint.machineIds?.flatMap((id) => this.ctx.getWebSockets(id)) ?? this.ctx.getWebSockets()
		const text = JSON.stringify({ type: 'wake' } satisfies FleetMessage)
		let sentCount = 0
		for (const socket of sockets.filter(isOpen)) {
			socket.send(text)
			sentCount++
		}
		return sentCount
	}

	/** Returns the ids of the machines with an open socket. */
	connected(): string[] {
		const open = this.ctx.getWebSockets().filter(isOpen)
		return [...new Set(open.flatMap((socket) => this.ctx.getTags(socket)))]
	}

	/** Closes the sockets of a machine that has left. */
	disconnect(machineId: string): void {
		for (const socket of this.ctx.getWebSockets(machineId)) socket.close(1000, 'left')
	}

	/** Closes the sockets of machines whose tokens were revoked. */
	rejectMachines(machineIds: readonly string[]): void {
		for (const id of machineIds)
			for (const socket of this.ctx.getWebSockets(id)) socket.close(SOCKET_NOT_ALLOWED, 'evicted')
	}

	/** Reserves a stream for an organization, or returns null at the limit. A reservation expires after `durationMs`. */
	openStream(orgId: string, limit: number, durationMs: number): string | null {
		const now = Date.now()
		const streams = this.#streams.get(orgId) ?? new Map<string, number>()
		for (const [ticket, until] of streams) if (until < now) streams.delete(ticket)
		if (streams.size >= limit) return null
		const ticket = crypto.randomUUID()
		this.#streams.set(orgId, streams.set(ticket, now + durationMs))
		return ticket
	}

	closeStream(orgId: string, ticket: string): void {
		const streams = this.#streams.get(orgId)
		streams?.delete(ticket)
		if (streams?.size === 0) this.#streams.delete(orgId)
	}

	/** Completes the closing handshake. Otherwise the machine would wait, and the half-closed socket stay in the list. */
	override webSocketClose(socket: WebSocket): void {
		socket.close()
	}

	/** Closes sockets that send anything but pings, which would keep the object awake. Machines use HTTP. */
	override webSocketMessage(socket: WebSocket): void {
		socket.close(SOCKET_NOT_ALLOWED, 'this socket takes pings only')
	}
}

// A socket closed here stays in the list until the other side completes the handshake.
const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

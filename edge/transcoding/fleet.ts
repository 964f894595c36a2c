import { DurableObject } from 'cloudflare:workers'
import {
	type FleetMessage,
	SOCKET_NOT_ALLOWED,
	SOCKET_PING,
	SOCKET_PONG,
	SOCKET_REPLACED,
} from '#schema/contract/fleet.ts'
import type { Bindings } from '../platform/env.ts'
import { MACHINE_HEADER } from './machine-header.ts'

/**
 * One object for the whole fleet: it holds the machines' sockets, and sleeps while nothing is said. A wake-up is
 * only a hint to look; what there is to do stands in the database, so a lost one costs a poll interval, no job.
 */
export class Fleet extends DurableObject<Bindings> {
	/** Streams that watch progress: until when each lasts at most, by organization. Forgotten with the object's memory. */
	readonly #streams = new Map<string, Map<string, number>>()

	constructor(ctx: DurableObjectState, env: Bindings) {
		super(ctx, env)
		ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(SOCKET_PING, SOCKET_PONG))
	}

	override async fetch(request: Request): Promise<Response> {
		const machineId = request.headers.get(MACHINE_HEADER)
		if (machineId === null) return new Response(null, { status: 403 })
		// A machine that lost its network reconnects long before this side learns that the old socket is dead.
		for (const older of this.ctx.getWebSockets(machineId)) older.close(SOCKET_REPLACED, 'replaced')
		const { 0: client, 1: server } = new WebSocketPair()
		this.ctx.acceptWebSocket(server, [machineId])
		return new Response(null, { status: 101, webSocket: client })
	}

	/** Tells the named machines, or all of them, to look for work now. Answers how many were told. */
	wake(hint: { machineIds?: readonly string[] } = {}): number {
		const sockets = hint.machineIds?.flatMap((id) => this.ctx.getWebSockets(id)) ?? this.ctx.getWebSockets()
		const text = JSON.stringify({ type: 'wake' } satisfies FleetMessage)
		let told = 0
		for (const socket of sockets.filter(isOpen)) {
			socket.send(text)
			told++
		}
		return told
	}

	/** Ids of the machines that hold a socket. */
	connected(): string[] {
		const open = this.ctx.getWebSockets().filter(isOpen)
		return [...new Set(open.flatMap((socket) => this.ctx.getTags(socket)))]
	}

	/** Ends the sockets of a machine that has left. */
	disconnect(machineId: string): void {
		for (const socket of this.ctx.getWebSockets(machineId)) socket.close(1000, 'left')
	}

	/** Ends the sockets of machines whose tokens were revoked. */
	shutOut(machineIds: readonly string[]): void {
		for (const id of machineIds)
			for (const socket of this.ctx.getWebSockets(id)) socket.close(SOCKET_NOT_ALLOWED, 'evicted')
	}

	/** A place for one more stream of an organization; null when all are taken. Whoever dies leaves it with time. */
	openStream(orgId: string, most: number, lastsMs: number): string | null {
		const now = Date.now()
		const streams = this.#streams.get(orgId) ?? new Map<string, number>()
		for (const [ticket, until] of streams) if (until < now) streams.delete(ticket)
		if (streams.size >= most) return null
		const ticket = crypto.randomUUID()
		this.#streams.set(orgId, streams.set(ticket, now + lastsMs))
		return ticket
	}

	closeStream(orgId: string, ticket: string): void {
		const streams = this.#streams.get(orgId)
		streams?.delete(ticket)
		if (streams?.size === 0) this.#streams.delete(orgId)
	}

	/** Says goodbye back: without it the machine would wait, and the socket stay half-closed in the list. */
	override webSocketClose(socket: WebSocket): void {
		socket.close()
	}

	/** Machines speak by HTTP. Whatever comes here besides pings would only keep the object awake. */
	override webSocketMessage(socket: WebSocket): void {
		socket.close(SOCKET_NOT_ALLOWED, 'this socket takes pings only')
	}
}

// A socket that was closed here stays in the list until the other side has agreed.
const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

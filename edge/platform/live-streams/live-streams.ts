import { DurableObject } from 'cloudflare:workers'
import type { Bindings } from '../env.ts'
import { CoalescedEvents } from './coalesced-events.ts'
import { EventLog } from './event-log.ts'
import { REPLACED, type StreamEvent } from './stream-event.ts'

/** What a Worker sends to open a stream for a client. */
export type Opening = {
	topics: readonly string[]
	/** The person, member or key whose streams are counted together. */
	holder: string
	/** The session, grant or key with which the stream was opened. */
	access: string
	address: string
	/** The id of the last event that the client has. */
	lastEventId: string | null
	token: { id: string; expiresAt: number } | null
	now: number
}
type Listener = Pick<Opening, 'topics' | 'access'> & { openedAt: number }

/** Enough for one person's devices and tabs; a further stream ends the oldest. */
export const MAX_STREAMS_PER_HOLDER = 5
/** An office behind one address; limits clients that open streams with many accounts. */
export const MAX_STREAMS_PER_ADDRESS = 200

/**
 * Fans the events of one community or organization out to the Workers that hold its streams. Their sockets hibernate, so
 * idle listeners keep no object in memory. It decides nothing about rights: the Workers do.
 */
export class LiveStreams extends DurableObject<Bindings> {
	#log = new EventLog(crypto.randomUUID().slice(0, 8))
	/** The sockets by topic; null after one was opened or closed. */
	#byTopic: Map<string, WebSocket[]> | null = null
	#coalesced = new CoalescedEvents(
		(event) => this.#send(event),
		(ms, call) => setTimeout(call, ms),
	)

	override fetch(request: Request): Response {
		const opening: Opening = JSON.parse(new URL(request.url).searchParams.get('opening') ?? '')
		const { topics, holder, access, address, lastEventId, token, now } = opening
		const fromAddress = `address:${address}`
		if (this.#sockets(fromAddress).length >= MAX_STREAMS_PER_ADDRESS)
			return new Response(null, { status: 429 })
		if (token && !this.#spend(token, now)) return new Response(null, { status: 401 })
		const own = this.#sockets(holder).toSorted((a, b) => listenerOf(a).openedAt - listenerOf(b).openedAt)
		for (const oldest of own.slice(0, Math.max(0, own.length - MAX_STREAMS_PER_HOLDER + 1)))
			oldest.close(REPLACED, 'replaced')
		const { 0: client, 1: server } = new WebSocketPair()
		this.ctx.acceptWebSocket(server, [holder, fromAddress])
		const newest = own.at(-1)
		const openedAt = Math.max(Date.now(), newest ? listenerOf(newest).openedAt + 1 : 0)
		server.serializeAttachment({ topics, access, openedAt } satisfies Listener)
		this.#byTopic = null
		for (const message of this.#log.listSince(lastEventId, topics)) server.send(JSON.stringify(message))
		return new Response(null, { status: 101, webSocket: client })
	}

	publish(events: readonly StreamEvent[]): void {
		for (const event of events)
			if (event.coalesce === undefined) this.#send(event)
			else this.#coalesced.add(event.coalesce, event)
	}

	/** Closes the streams of a holder, or only those of one session, grant or key. */
	close(holder: string, access?: string): void {
		for (const socket of this.#sockets(holder))
			if (access === undefined || listenerOf(socket).access === access) socket.close(1000, 'ended')
		this.#byTopic = null
	}

	closeAll(): void {
		for (const socket of this.ctx.getWebSockets()) socket.close(1000, 'ended')
		this.#byTopic = null
	}

	countStreams(): number {
		return this.ctx.getWebSockets().filter(isOpen).length
	}

	/** Completes the closing handshake. */
	override webSocketClose(socket: WebSocket): void {
		socket.close()
		this.#byTopic = null
	}

	/** Closes a socket that sends a message: streams are one-way, and a message would wake the object. */
	override webSocketMessage(socket: WebSocket): void {
		socket.close(1008, 'streams are only read')
	}

	#send({ topics, type, data }: StreamEvent): void {
		const message = this.#log.add({ topics, type, data })
		const text = JSON.stringify(message)
		const listening = new Set(topics.flatMap((topic) => this.#listeners().get(topic) ?? []))
		for (const socket of listening) if (isOpen(socket)) socket.send(text)
	}

	#listeners(): Map<string, WebSocket[]> {
		if (this.#byTopic) return this.#byTopic
		const byTopic = new Map<string, WebSocket[]>()
		for (const socket of this.ctx.getWebSockets())
			for (const topic of listenerOf(socket).topics)
				byTopic.set(topic, [...(byTopic.get(topic) ?? []), socket])
		this.#byTopic = byTopic
		return byTopic
	}

	#sockets(tag: string): WebSocket[] {
		return this.ctx.getWebSockets(tag).filter(isOpen)
	}

	/** Returns false if the token was used before. Stored, because the object may leave memory at any time. */
	#spend({ id, expiresAt }: { id: string; expiresAt: number }, now: number): boolean {
		const { sql } = this.ctx.storage
		sql.exec(
			'create table if not exists spent (token text primary key, until integer not null) without rowid',
		)
		sql.exec('delete from spent where until < ?', now)
		return sql.exec('insert or ignore into spent values (?, ?)', id, expiresAt).rowsWritten > 0
	}
}

const listenerOf = (socket: WebSocket): Listener => socket.deserializeAttachment()

// A socket closed here stays in the list until the other side completes the handshake.
const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

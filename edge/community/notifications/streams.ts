import { DurableObject } from 'cloudflare:workers'
import type { NotificationKind } from '#schema/contract/community/member/notifications.ts'
import type { MemberAccess } from '../../http/caller.ts'
import { HOUR, SECOND, systemClock } from '../../platform/clock.ts'
import type { Bindings } from '../../platform/env.ts'

/** Announces a notification without its content. Clients read the content from the list, which checks visibility. */
export type Push = { id: number; kind: NotificationKind }
export type PushTo = Push & { membershipId: number }

export type OpenStream = { id: string; access: MemberAccess }

type Stream = {
	membershipId: number
	access: MemberAccess
	endsAt: number
	controller: ReadableStreamDefaultController<Uint8Array>
}

/** Enough for one person's devices; limits clients that open streams in a loop. */
const MAX_STREAMS_PER_MEMBER = 5
/** Shorter than the minute after which proxies close idle connections. */
const HEARTBEAT_MS = 20 * SECOND
/** The lifetime of a member token, or less if the credential expires earlier. Reconnecting authenticates again. */
const LIFE_MS = HOUR
/** Chunks queued for a client that does not read; with more, the stream is closed. */
const MAX_QUEUED_CHUNKS = 64

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode(':\n\n')
const WELCOME = encoder.encode('retry: 5000\n\n')

/**
 * Holds the open notification streams of one community, and no other state. After a restart, clients reconnect and
 * read missed notifications from the database.
 */
export class MemberStreams extends DurableObject<Bindings> {
	#streams = new Map<string, Stream>()
	#heartbeat: ReturnType<typeof setInterval> | undefined

	/** Opens a stream for a member whom the Worker has authenticated. */
	override fetch(request: Request): Response {
		const { searchParams } = new URL(request.url)
		const membershipId = Number(searchParams.get('member'))
		const id = searchParams.get('stream') ?? ''
		const access: MemberAccess = JSON.parse(searchParams.get('access') ?? '')
		const endsAt = systemClock() + Math.min(LIFE_MS, Number(searchParams.get('life')))
		const open = [...this.#streams.values()].filter((stream) => stream.membershipId === membershipId)
		if (open.length >= MAX_STREAMS_PER_MEMBER) return new Response(null, { status: 429 })
		const body = new ReadableStream<Uint8Array>({
			start: (controller) => {
				controller.enqueue(WELCOME)
				this.#streams.set(id, { membershipId, access, endsAt, controller })
			},
			cancel: () => this.#drop(id),
		})
		this.#heartbeat ??= setInterval(() => this.beat(), HEARTBEAT_MS)
		return new Response(body)
	}

	/** Writes missed notifications to a client's new stream. */
	resume(id: string, missed: readonly Push[]): void {
		for (const push of missed) this.#write(id, chunkOf(push))
	}

	/** Returns the session or grant with which each stream of these members was opened. */
	listAccesses(membershipIds: readonly number[]): OpenStream[] {
		return [...this.#streams]
			.filter(([, { membershipId }]) => membershipIds.includes(membershipId))
			.map(([id, { access }]) => ({ id, access }))
	}

	/** Drops the ended streams, then writes to every stream of the notified members. Returns the number of writes. */
	push(notifications: readonly PushTo[], ended: readonly string[]): number {
		for (const id of ended) this.#drop(id)
		const chunks = new Map<number, Uint8Array[]>()
		for (const { membershipId, ...push } of notifications)
			chunks.set(membershipId, [...(chunks.get(membershipId) ?? []), chunkOf(push)])
		let count = 0
		for (const [id, { membershipId }] of this.#streams)
			for (const chunk of chunks.get(membershipId) ?? []) {
				this.#write(id, chunk)
				count++
			}
		return count
	}

	/** Closes all streams of a member, or only those of one session or grant. */
	close(membershipId: number, accessId?: string): void {
		for (const [id, stream] of this.#streams)
			if (stream.membershipId === membershipId && (accessId ?? stream.access.id) === stream.access.id)
				this.#drop(id)
	}

	closeAll(): void {
		for (const id of [...this.#streams.keys()]) this.#drop(id)
	}

	/** Closes streams that have expired and keeps the connections of the others alive. */
	beat(now = systemClock()): void {
		for (const [id, { endsAt }] of this.#streams)
			if (now >= endsAt) this.#drop(id)
			else this.#write(id, HEARTBEAT)
	}

	countStreams(): number {
		return this.#streams.size
	}

	#write(id: string, chunk: Uint8Array): void {
		const controller = this.#streams.get(id)?.controller
		if (!controller) return
		if ((controller.desiredSize ?? 0) < -MAX_QUEUED_CHUNKS) this.#drop(id)
		else controller.enqueue(chunk)
	}

	#drop(id: string): void {
		const stream = this.#streams.get(id)
		this.#streams.delete(id)
		try {
			stream?.controller.close()
		} catch {
			// The client has already cancelled the stream.
		}
		if (this.#streams.size > 0) return
		clearInterval(this.#heartbeat)
		this.#heartbeat = undefined
	}
}

const chunkOf = ({ id, kind }: Push): Uint8Array =>
	encoder.encode(`id: ${id}\nevent: notification\ndata: ${JSON.stringify({ id, kind })}\n\n`)

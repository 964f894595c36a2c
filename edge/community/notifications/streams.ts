import { DurableObject } from 'cloudflare:workers'
import type { NotificationKind } from '#schema/contract/community/notifications.ts'
import type { MemberAccess } from '../../http/caller.ts'
import { HOUR, SECOND, systemClock } from '../../platform/clock.ts'
import type { Bindings } from '../../platform/env.ts'

/** Says that there is something, not what: that is asked of the list, which looks at who may see it. */
export type Push = { id: number; kind: NotificationKind }
export type PushTo = Push & { membershipId: number }

export type OpenStream = { id: string; access: MemberAccess }

type Stream = {
	membershipId: number
	access: MemberAccess
	endsAt: number
	controller: ReadableStreamDefaultController<Uint8Array>
}

/** Enough for the devices of a person, and an end to a client that opens them in a loop. */
const MOST_OF_MEMBER = 5
/** Below the minute after which proxies end what is silent. */
const BEAT_MS = 20 * SECOND
/** As long as a member token, unless what it was opened with ends before: who comes back is asked again who they are. */
const LIFE_MS = HOUR
/** Chunks that wait for a reader who does not read. */
const MOST_WAITING = 64

const encoder = new TextEncoder()
const BEAT = encoder.encode(':\n\n')
const WELCOME = encoder.encode('retry: 5000\n\n')

/**
 * One object for each community: it holds the streams of the members who listen right now, and nothing else. What it
 * loses stands in the database.
 */
export class MemberStreams extends DurableObject<Bindings> {
	#streams = new Map<string, Stream>()
	#beating: ReturnType<typeof setInterval> | undefined

	/** Opens a stream of a member, which the Worker has let in. */
	override fetch(request: Request): Response {
		const { searchParams } = new URL(request.url)
		const membershipId = Number(searchParams.get('member'))
		const id = searchParams.get('stream') ?? ''
		const access: MemberAccess = JSON.parse(searchParams.get('access') ?? '')
		const endsAt = systemClock() + Math.min(LIFE_MS, Number(searchParams.get('life')))
		const open = [...this.#streams.values()].filter((stream) => stream.membershipId === membershipId)
		if (open.length >= MOST_OF_MEMBER) return new Response(null, { status: 429 })
		const body = new ReadableStream<Uint8Array>({
			start: (controller) => {
				controller.enqueue(WELCOME)
				this.#streams.set(id, { membershipId, access, endsAt, controller })
			},
			cancel: () => this.#drop(id),
		})
		this.#beating ??= setInterval(() => this.beat(), BEAT_MS)
		return new Response(body)
	}

	/** What came while nobody listened, down one stream. */
	resume(id: string, missed: readonly Push[]): void {
		for (const push of missed) this.#write(id, chunkOf(push))
	}

	/** What the streams of members were opened with. */
	accessesOf(membershipIds: readonly number[]): OpenStream[] {
		return [...this.#streams]
			.filter(([, { membershipId }]) => membershipIds.includes(membershipId))
			.map(([id, { access }]) => ({ id, access }))
	}

	/** To every stream of those who are told, but for those that are found ended. Answers how many there were. */
	push(told: readonly PushTo[], ended: readonly string[]): number {
		for (const id of ended) this.#drop(id)
		const chunks = new Map<number, Uint8Array[]>()
		for (const { membershipId, ...push } of told)
			chunks.set(membershipId, [...(chunks.get(membershipId) ?? []), chunkOf(push)])
		let count = 0
		for (const [id, { membershipId }] of this.#streams)
			for (const chunk of chunks.get(membershipId) ?? []) {
				this.#write(id, chunk)
				count++
			}
		return count
	}

	/** Of a member who is in no more, or of one session or grant of theirs that has ended. */
	close(membershipId: number, accessId?: string): void {
		for (const [id, stream] of this.#streams)
			if (stream.membershipId === membershipId && (accessId ?? stream.access.id) === stream.access.id)
				this.#drop(id)
	}

	/** Keeps streams from being taken for dead, and finds those that are. */
	beat(now = systemClock()): void {
		for (const [id, { endsAt }] of this.#streams)
			if (now >= endsAt) this.#drop(id)
			else this.#write(id, BEAT)
	}

	listening(): number {
		return this.#streams.size
	}

	#write(id: string, chunk: Uint8Array): void {
		const controller = this.#streams.get(id)?.controller
		if (!controller) return
		if ((controller.desiredSize ?? 0) < -MOST_WAITING) this.#drop(id)
		else controller.enqueue(chunk)
	}

	#drop(id: string): void {
		const stream = this.#streams.get(id)
		this.#streams.delete(id)
		try {
			stream?.controller.close()
		} catch {
			// It was cancelled from the other side.
		}
		if (this.#streams.size > 0) return
		clearInterval(this.#beating)
		this.#beating = undefined
	}
}

const chunkOf = ({ id, kind }: Push): Uint8Array =>
	encoder.encode(`id: ${id}\nevent: notification\ndata: ${JSON.stringify({ id, kind })}\n\n`)

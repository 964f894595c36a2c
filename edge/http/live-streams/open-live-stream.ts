import { HOUR, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Opening, REPLACED } from '../../platform/live-streams/live-streams.ts'
import { findLiveStreams } from '../../platform/live-streams/live-streams-stub.ts'
import type { StreamMessage } from '../../platform/live-streams/stream-event.ts'
import { AppError, tooManyRequestsError } from '../errors.ts'
import { eventStreamResponse } from '../event-stream.ts'
import { spentTokenError } from './stream-token.ts'

/** An event as a client receives it. Those without a name reach `onmessage` of `EventSource`. */
export type SentEvent = { id?: string; event?: string; data: Record<string, unknown> }

export type LiveStream = {
	/** The object that the stream listens to. */
	streams: string
	opening: Pick<Opening, 'topics' | 'holder' | 'access' | 'address' | 'lastEventId'>
	/** When the credential expires. */
	endsAt: number
	/** Returns what the client receives for a message. Messages are handled one after the other. */
	onMessage(message: StreamMessage, laterMs: number): Promise<SentEvent[]>
	/** Checks that the credential and its rights are still valid. */
	isStillAdmitted(laterMs: number): Promise<boolean>
}

/** Reconnecting authenticates again. */
const LIFE_MS = HOUR
/** Proxies close idle connections. */
const HEARTBEAT_MS = 15 * SECOND
/** How long a client may hear events after its rights have ended, if nothing closed its stream. */
export const ADMITTED_MS = 30 * SECOND
/** Messages that wait for a client that does not read; with more, the stream is closed. A returning client gets up to 257. */
const MAX_WAITING = 512
const RETRY_MS = 5 * SECOND

/**
 * Opens a stream of server-sent events that ends in this request. The Durable Object sends messages over a WebSocket
 * and hibernates in between. If it held the response itself, it would stay in memory.
 */
export async function openLiveStream(deps: Deps, stream: LiveStream): Promise<Response> {
	const socket = await connect(deps, stream)
	const encoder = new TextEncoder()
	const timers: (() => void)[] = []
	let isClosed = false
	let end = () => {}
	let continueWriting = () => {}
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			const write = (text: string) => {
				if (!isClosed) controller.enqueue(encoder.encode(`${text}\n\n`))
			}
			/** Waits until the client has read what was written. */
			const whenRead = (): Promise<void> =>
				isClosed || (controller.desiredSize ?? 0) > 0
					? Promise.resolve()
					: new Promise((resolve) => {
							continueWriting = resolve
						})
			end = () => {
				if (isClosed) return
				isClosed = true
				for (const clear of timers) clear()
				continueWriting()
				socket.close(1000, 'ended')
				try {
					controller.close()
				} catch {
					// The client has cancelled the stream.
				}
			}
			write(`retry: ${RETRY_MS}`)
			const heartbeat = setInterval(() => write(':'), HEARTBEAT_MS)
			const life = setTimeout(() => end(), Math.min(LIFE_MS, stream.endsAt - deps.now))
			timers.push(
				() => clearInterval(heartbeat),
				() => clearTimeout(life),
			)
			receive(deps, stream, socket, { write, whenRead, end: () => end(), isGone: () => isClosed })
			socket.accept()
		},
		pull: () => continueWriting(),
		cancel: () => end(),
	})
	return eventStreamResponse(body)
}

async function connect(deps: Deps, { streams, opening }: LiveStream): Promise<WebSocket> {
	const object = findLiveStreams(deps.env, streams)
	if (!object) throw new AppError('not_configured', 'live streams are not set up: bind LIVE_STREAMS')
	const token = deps.streamToken && { id: deps.streamToken.id, expiresAt: deps.streamToken.expiresAt }
	const query = new URLSearchParams({
		opening: JSON.stringify({ ...opening, token, now: deps.now } satisfies Opening),
	})
	const response = await object.fetch(`https://streams/?${query}`, { headers: { upgrade: 'websocket' } })
	if (response.status === 401) throw spentTokenError()
	if (!response.webSocket)
		throw tooManyRequestsError(30, 'too many streams are open from this address; close one and try again')
	return response.webSocket
}

type Client = { write(text: string): void; whenRead(): Promise<void>; end(): void; isGone(): boolean }

function receive(deps: Deps, stream: LiveStream, socket: WebSocket, client: Client): void {
	let work = Promise.resolve()
	let waiting = 0
	let admittedAt = 0
	async function handle(text: string): Promise<void> {
		const laterMs = deps.clock() - deps.now
		if (laterMs - admittedAt >= ADMITTED_MS) {
			if (!(await stream.isStillAdmitted(laterMs))) return client.end()
			admittedAt = laterMs
		}
		for (const sent of await stream.onMessage(JSON.parse(text), laterMs)) {
			await client.whenRead()
			client.write(formatEvent(sent))
		}
	}
	socket.addEventListener('message', ({ data }) => {
		if (++waiting > MAX_WAITING) return client.end()
		work = work
			.then(() => (client.isGone() ? undefined : handle(String(data))))
			.catch((error: unknown) => {
				deps.log.error('a live stream failed', error)
				client.end()
			})
			.finally(() => {
				waiting--
			})
	})
	socket.addEventListener('close', ({ code }) => {
		work = work.then(() => {
			// The page must not connect again: it would replace another one in turn.
			if (code === REPLACED) client.write(formatEvent({ data: { type: 'closed', reason: 'replaced' } }))
			client.end()
		})
	})
}

const formatEvent = ({ id, event, data }: SentEvent): string =>
	[
		...(id === undefined ? [] : [`id: ${id}`]),
		...(event === undefined ? [] : [`event: ${event}`]),
		`data: ${JSON.stringify(data)}`,
	].join('\n')

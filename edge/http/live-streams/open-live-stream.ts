import type { Deps } from '../../platform/deps.ts'
import type { Opening } from '../../platform/live-streams/live-streams.ts'
import { findLiveStreams } from '../../platform/live-streams/live-streams-stub.ts'
import { AppError, tooManyRequestsError } from '../errors.ts'
import { eventStreamResponse } from '../event-stream.ts'
import { openClientStream } from './client-stream.ts'
import { type Relay, relayMessages } from './relay-messages.ts'
import { spentTokenError } from './stream-token.ts'

export type LiveStream = Relay & {
	/** The object that the stream listens to. */
	streams: string
	opening: Pick<Opening, 'topics' | 'holder' | 'access' | 'address' | 'lastEventId'>
	/** When the credential expires. */
	endsAt: number
}

/**
 * Opens a stream of server-sent events that ends in this request. The Durable Object sends messages over a WebSocket
 * and hibernates in between. If it held the response itself, it would stay in memory.
 */
export async function openLiveStream(deps: Deps, stream: LiveStream): Promise<Response> {
	const socket = await connect(deps, stream)
	const { body, client } = openClientStream({
		endsInMs: stream.endsAt - deps.now,
		onEnd: () => socket.close(1000, 'ended'),
	})
	relayMessages(socket, stream, client, {
		laterMs: () => deps.clock() - deps.now,
		onError: (error) => deps.log.error('a live stream failed', error),
	})
	socket.accept()
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

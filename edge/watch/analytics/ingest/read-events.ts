import type { z } from 'zod'
import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { type EventProblemCode, PlayerEvent } from '#schema/contract/watch/analytics/player-events.ts'
import type { TimedEvent } from '../sessions/timed-event.ts'

export type EventProblem = { index: number; code: EventProblemCode; message: string }

/** The events of one session in a request. */
export type SessionEvents = Pick<
	PlayerEvent,
	'playbackId' | 'sessionId' | 'token' | 'player' | 'preview' | 'referrer' | 'reportId'
> & {
	/** The player's own report interval, if it can't follow the one in responses. */
	ownIntervalMs?: number
	/** Their indexes in the request. */
	indexes: number[]
	state: PlaybackState | null
	events: TimedEvent[]
	isEnd: boolean
}

/** Validates each event separately and groups the events by session. */
export function readEvents(sent: readonly unknown[]): {
	sessions: SessionEvents[]
	problems: EventProblem[]
} {
	const problems: EventProblem[] = []
	const sessions = new Map<string, SessionEvents>()
	for (const [index, raw] of sent.entries()) {
		const { data, error } = PlayerEvent.safeParse(raw)
		if (!data) {
			problems.push({ index, code: 'invalid', message: messageOf(error) })
			continue
		}
		const key = `${data.playbackId} ${data.sessionId}`
		const session = sessions.get(key)
		sessions.set(key, addEvent(session, data, index))
	}
	return { sessions: [...sessions.values()], problems }
}

function addEvent(session: SessionEvents | undefined, event: PlayerEvent, index: number): SessionEvents {
	const { playbackId, sessionId, kind, state, at, positionMs, watchedMs, height, error } = event
	const isNewest = state !== undefined && (session?.state?.seq ?? 0) <= state.seq
	return {
		playbackId,
		sessionId,
		token: event.token ?? session?.token,
		player: event.player ?? session?.player,
		preview: event.preview ?? session?.preview,
		referrer: event.referrer ?? session?.referrer,
		reportId: event.reportId ?? session?.reportId,
		indexes: [...(session?.indexes ?? []), index],
		state: isNewest ? state : (session?.state ?? null),
		events:
			state === undefined && at !== undefined
				? [...(session?.events ?? []), { kind, at, positionMs, watchedMs, height, error }]
				: (session?.events ?? []),
		isEnd: isNewest ? kind === 'view_end' : (session?.isEnd ?? false),
	}
}

const messageOf = (error: z.ZodError): string =>
	error.issues
		.slice(0, 3)
		.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
		.join('; ')

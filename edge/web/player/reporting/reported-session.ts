import type { PlayerEventKind, PlayerKind } from '#schema/contract/watch/analytics/player-events.ts'
import type { LoggedState } from './playback-log.ts'
import type { ReportedEvent } from './post-events.ts'

export type SessionOptions = {
	playbackId: string
	player: PlayerKind
	/** Whether reports contain only the activity and the position. */
	isPreview: boolean
	/** The id that the page shows when playback fails. */
	reportId: string
	/** The site around the player or before it. */
	referrer: string | null
	/** Milliseconds since 1970, which go on while the machine sleeps. */
	wallNow: () => number
	newSessionId: () => string
	/** Starts an empty log for a new session. */
	openLog: () => SessionLog
}

export type SessionLog = { state: () => LoggedState; idleMs: () => number }

export type ReportedSession = ReturnType<typeof openSession>

/** A video paused for this long counts as abandoned. */
const MAX_IDLE_MS = 300_000
/** The server closes a session after this long without a report. */
const MAX_SILENCE_MS = 1_800_000
/** How often the last report of a session is sent. */
const MAX_TRIES = 10

/** Leaves out all totals of a state. */
const presenceIn = ({ activity, positionMs }: LoggedState) => ({
	activity,
	positionMs,
	watchedMs: 0,
	played: [],
})

/** Builds the reports of one playback session. */
export function openSession(options: SessionOptions) {
	const { playbackId, player, isPreview, reportId, referrer, wallNow } = options
	const sessionId = options.newSessionId()
	const log = options.openLog()
	let seq = 0
	let last: ReportedEvent | null = null
	let reportedAt = wallNow()

	const describe = (kind: PlayerEventKind): ReportedEvent => {
		const logged = log.state()
		reportedAt = wallNow()
		return {
			kind,
			playbackId,
			sessionId,
			state: { seq: ++seq, ...(isPreview ? presenceIn(logged) : logged) },
			player,
			...(isPreview && { preview: true }),
			reportId,
			...(referrer && { referrer }),
		}
	}
	const session = {
		/** From the newest answer, which may come after the last report was made. */
		token: undefined as string | undefined,
		cancelTimer: (): void => undefined,
		isOver: () => last !== null,
		/** How often the last report was sent, without beacons: a page may be hidden often. */
		tries: 0,
		/** Whether the server has closed the session, or would treat a report as a new session. */
		isStale: () => wallNow() - reportedAt > MAX_SILENCE_MS,
		/** Whether the video has not played for long, or the last report was sent often enough. */
		isIdle: () => (last ? session.tries >= MAX_TRIES : log.idleMs() >= MAX_IDLE_MS),
		end(): void {
			last = describe('view_end')
		},
		/** Returns the full state to send now; after the end, always the same. */
		report(): ReportedEvent {
			return { ...(last ?? describe(seq ? 'heartbeat' : 'view_start')), token: session.token }
		},
	}
	return session
}

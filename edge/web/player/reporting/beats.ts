import type { PlayerEventKind, PlayerKind } from '#schema/contract/video/analytics/player-events.ts'
import type { LoggedState } from './playback-log.ts'
import type { Answer, ReportedEvent } from './post-events.ts'
import { openSendTimes, type SendTimesOptions } from './send-times.ts'

export type BeatsOptions = SendTimesOptions & {
	playbackId: string
	player: PlayerKind
	/** Whether reports say only that somebody is there. */
	isPreview: boolean
	/** The id that the page shows when playback fails. */
	reportId: string
	/** The site around the player or before it. */
	referrer: string | null
	/** The playback token of a signed video, or null. */
	viewerToken: () => string | null
	/** Milliseconds since 1970, which go on while the machine sleeps. */
	wallNow: () => number
	/** Calls back once, and returns a function that prevents it. */
	schedule: (callback: () => void, ms: number) => () => void
	newSessionId: () => string
	isOnline: () => boolean
	/** Rejects if there was no response. */
	post: (body: string) => Promise<Answer>
	/** Works while the page is being closed. */
	postOnLeaving: (body: string) => void
	/** Starts an empty log for a new session. */
	openLog: () => SessionLog
	/** How many people watch now; null if that is not known. */
	onLive: (count: number | null) => void
}

export type SessionLog = { state: () => LoggedState; idleMs: () => number }

export type Beats = ReturnType<typeof openBeats>

type Session = { id: string; seq: number; token: string | undefined; log: SessionLog; isOver: boolean }

/** A video that does not play for so long is no longer watched. */
const MAX_IDLE_MS = 300_000
/** The server forgets a session after so long without a report. */
const MAX_SILENCE_MS = 1_800_000

/** Leaves out all totals of a state. */
const presenceIn = ({ activity, positionMs }: LoggedState) => ({
	activity,
	positionMs,
	watchedMs: 0,
	played: [],
})

/** Sends the state of the playback session: at its start, at intervals, when the page is left, and at its end. */
export function openBeats(options: BeatsOptions) {
	const { wallNow, schedule, isOnline, post, onLive } = options
	const times = openSendTimes(options)
	let session: Session | null = null
	let sentAt = wallNow()
	let isStopped = false
	/** False while the viewer is idle. */
	let isBeating = false
	let cancelTimer = () => {}

	/** Returns the next request body, which contains everything since the start of the session. */
	const write = (current: Session, kind: PlayerEventKind): string => {
		const { playbackId, player, isPreview, reportId, referrer } = options
		const token = options.viewerToken()
		const logged = current.log.state()
		const event: ReportedEvent = {
			kind,
			playbackId,
			sessionId: current.id,
			state: { seq: ++current.seq, ...(isPreview ? presenceIn(logged) : logged) },
			player,
			...(isPreview && { preview: true }),
			reportId,
			...(current.token !== undefined && { token: current.token }),
			...(referrer !== null && { referrer }),
		}
		sentAt = wallNow()
		return JSON.stringify({ events: [event], ...(token !== null && { viewerToken: token }) })
	}
	const stop = () => {
		isStopped = true
		pause()
	}
	const pause = () => {
		isBeating = false
		cancelTimer()
		onLive(null)
	}
	const wait = () => {
		cancelTimer()
		cancelTimer = schedule(tick, times.nextMs())
	}
	const read = (current: Session, { status, retryAfterMs, sessions, isOver }: Answer) => {
		if (status === 403 || status === 410) return stop()
		if (status < 200 || status > 299) return times.refused(retryAfterMs)
		const answer = sessions.find(({ sessionId }) => sessionId === current.id)
		times.accepted(answer?.nextBeatMs)
		// Such as after a pause in which no report could be sent. What plays from now on is another session.
		if (isOver && current.token !== undefined && current === session && isBeating) return begin()
		if (!answer) return
		current.token = answer.token
		if (current === session && isBeating) onLive(answer.live)
	}
	const send = async (kind: PlayerEventKind): Promise<void> => {
		const current = session
		if (!current || isStopped || !isOnline()) return
		cancelTimer()
		const answer = await post(write(current, kind)).catch(() => null)
		if (answer && !isStopped) read(current, answer)
		if (isBeating && current === session) wait()
	}
	const isStale = () => wallNow() - sentAt > MAX_SILENCE_MS
	const beat = (): void => {
		if (times.isBackingOff()) wait()
		else void send(session?.seq === 0 ? 'view_start' : 'heartbeat')
	}
	const tick = () => {
		if (!session || session.isOver || isStopped) return
		if (isStale() || session.log.idleMs() >= MAX_IDLE_MS) pause()
		else beat()
	}
	const begin = () => {
		cancelTimer()
		session = { id: options.newSessionId(), seq: 0, token: undefined, log: options.openLog(), isOver: false }
		isBeating = true
		if (isStopped) return
		sentAt = wallNow()
		// Later, so that what happens at the same time is a part of the first report.
		cancelTimer = schedule(beat, 0)
	}
	const isOpen = (): boolean => session !== null && !session.isOver && !isStale()

	return {
		/** Starts a session. */
		begin,
		/** Whether the next play starts a session. */
		isOver: (): boolean => session === null || session.isOver,
		/** The video plays: goes on at once if the viewer was idle, or the machine slept. */
		wake(): void {
			if (isBeating || isStopped || !session || session.isOver) return
			isBeating = true
			if (isStale()) begin()
			else beat()
		},
		/** The device is online again, or the viewer came back to the page. */
		resume(): void {
			if (!isBeating || isStopped || !session || session.isOver) return
			// The server has forgotten the session. If the video plays, `wake` starts another one.
			if (isStale()) pause()
			else beat()
		},
		/** The page is hidden. It may be closed without further notice. */
		hide(): void {
			if (!session || !isBeating || !isOpen() || isStopped || !isOnline() || times.isBackingOff()) return
			options.postOnLeaving(write(session, 'heartbeat'))
		},
		/** The page is closed, or kept for a return. */
		leave(isKept: boolean): void {
			if (!session || !isOpen() || isStopped) return
			if (isOnline()) options.postOnLeaving(write(session, isKept ? 'heartbeat' : 'view_end'))
			if (isKept) return
			session.isOver = true
			pause()
		},
		/** Playback has ended or failed. This report is sent also if the server asked to wait: there is no later one. */
		end(): void {
			if (!session || session.isOver) return
			session.isOver = true
			void send('view_end')
			pause()
		},
	}
}

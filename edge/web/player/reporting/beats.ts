import type { Answer } from './post-events.ts'
import { openSession, type ReportedSession, type SessionOptions } from './reported-session.ts'
import { openSendTimes, type SendTimesOptions } from './send-times.ts'

export type BeatsOptions = SendTimesOptions &
	SessionOptions & {
		/** The playback token of a signed video, or null. */
		viewerToken: () => string | null
		/** Calls back once, and returns a function that prevents it. */
		schedule: (callback: () => void, ms: number) => () => void
		isOnline: () => boolean
		/** Rejects if there was no response. */
		post: (body: string) => Promise<Answer>
		/** Works while the page is being closed. */
		postOnLeaving: (body: string) => void
		/** How many people watch now; null if that is not known. */
		onLive: (count: number | null) => void
	}

export type Beats = ReturnType<typeof startBeats>

/** How many sessions may wait for their last report to be accepted. */
const MAX_ENDED = 5

/**
 * Sends the state of the playback session: at its start, periodically, when the page is left, and at its end. Retries
 * the last report until it is accepted or rejected, since no later one repeats it.
 */
export function startBeats(options: BeatsOptions) {
	const { schedule, viewerToken, onLive } = options
	const times = openSendTimes(options)
	let session: ReportedSession | null = null
	/** Sessions whose last report is not accepted yet. */
	const ended = new Set<ReportedSession>()
	let isStopped = false
	/** False while the viewer is idle. */
	let isBeating = false
	/** Whether the session replaces one closed by the server, and is not accepted yet. */
	let isReplacement = false
	/** The playback token that the server last rejected (null: none was sent); undefined if none was rejected. */
	let rejectedToken: string | null | undefined

	const write = (of: ReportedSession): string =>
		JSON.stringify({ events: [of.report()], viewerToken: viewerToken() ?? undefined })
	/** The session's own token replaces the playback token. */
	const canSend = ({ token }: ReportedSession) =>
		options.isOnline() && (token !== undefined || viewerToken() !== rejectedToken)
	const isActive = (of: ReportedSession) => ended.has(of) || (isBeating && of === session)
	const pause = () => {
		isBeating = false
		onLive(null)
	}
	const stop = () => {
		isStopped = true
		ended.clear()
		pause()
	}
	const wait = (of: ReportedSession, ms = times.nextMs(of.tries)) => {
		of.cancelTimer()
		of.cancelTimer = schedule(() => tick(of), ms)
	}
	const read = (of: ReportedSession, answer: Answer, sentToken: string | null, isEnd: boolean) => {
		const { status, problem, accepted } = answer
		if (status === 403 || status === 410) return stop()
		// An error, or a proxy's response.
		if (!accepted && !problem) return times.refused(answer.retryAfterMs)
		if (of === session && isBeating && problem) {
			// For example after a pause in which no report could be sent. Further playback is another session.
			if (problem === 'session_over' && !isReplacement) {
				isReplacement = true
				return begin()
			}
			if (problem !== 'playback_token_required') return times.refused(null)
		}
		times.accepted(accepted?.nextBeatMs)
		if (problem === 'playback_token_required') rejectedToken = sentToken
		else if (isEnd && problem !== 'not_found') ended.delete(of)
		if (!accepted) return
		of.token = accepted.token
		if (of !== session || !isBeating) return
		isReplacement = false
		onLive(accepted.live)
	}
	const send = async (of: ReportedSession): Promise<void> => {
		of.cancelTimer()
		const token = viewerToken()
		const isEnd = of.isOver()
		if (isEnd) of.tries++
		const answer = await options.post(write(of)).catch(() => null)
		if (answer && !isStopped) read(of, answer, token, isEnd)
		if (isActive(of)) wait(of)
	}
	const sendOnLeaving = () => {
		for (const each of new Set(session ? [...ended, session] : ended))
			if (isActive(each) && !each.isStale() && canSend(each)) options.postOnLeaving(write(each))
	}
	const beat = (of: ReportedSession): void => {
		if (times.isBackingOff() || !canSend(of)) wait(of)
		else void send(of)
	}
	const tick = (of: ReportedSession) => {
		if (!isActive(of)) return
		if (!of.isStale() && !of.isIdle()) beat(of)
		else if (!ended.delete(of)) pause()
	}
	const begin = () => {
		session = openSession(options)
		if (isStopped) return
		isBeating = true
		rejectedToken = undefined
		// Deferred, so that simultaneous events are part of the first report.
		wait(session, 0)
	}
	/** Returns the session if it goes on. */
	const openedSession = () => (isStopped || session?.isOver() ? null : session)
	const end = (of: ReportedSession) => {
		if (!isStopped && !of.isStale()) ended.add(of)
		const [oldest] = ended
		if (oldest && ended.size > MAX_ENDED) ended.delete(oldest)
		of.end()
		pause()
	}

	return {
		/** Starts a session. */
		begin,
		/** Whether the next play starts a session. */
		isOver: (): boolean => !session || session.isOver(),
		/** The video plays: continues at once if the viewer was idle, or the machine slept. */
		wake(): void {
			const opened = openedSession()
			if (isBeating || !opened) return
			isBeating = true
			if (opened.isStale()) begin()
			else beat(opened)
		},
		/** The device is online again, or the viewer returned to the page. */
		resume(): void {
			for (const each of ended) tick(each)
			const opened = openedSession()
			// The server has closed a stale session. During playback, `wake` starts another one.
			if (opened?.isStale()) pause()
			else if (opened) beat(opened)
		},
		/** The page is hidden. It may be closed without further notice. */
		hide(): void {
			if (!times.isBackingOff()) sendOnLeaving()
		},
		/** The page is closed, or kept for a return. */
		leave(isKept: boolean): void {
			const opened = openedSession()
			if (opened && !isKept) end(opened)
			sendOnLeaving()
			// Browsers hide a page after they close it.
			if (!isKept) ended.clear()
		},
		/** Playback has ended or failed. The first try ignores the server's backoff, because the page may close soon. */
		end(): void {
			if (!session || session.isOver()) return
			end(session)
			if (!ended.has(session)) return
			if (canSend(session)) void send(session)
			else wait(session)
		},
	}
}

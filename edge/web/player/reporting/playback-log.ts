import type { PlaybackState } from '#schema/contract/video/analytics/playback-state.ts'
import type { Happening } from './happenings.ts'
import { openPlaybackPhase } from './playback-phase.ts'
import { openPlayedSpans } from './played-spans.ts'
import { openShownQuality } from './shown-quality.ts'

export type LogOptions = {
	/** Monotonic milliseconds. */
	now: () => number
	/** The position and the speed when the log begins. */
	sec: number
	rate: number
	durationSec: () => number
}

/** A state without its number in the session. */
export type LoggedState = Omit<PlaybackState, 'seq'>

export type PlaybackLog = ReturnType<typeof openPlaybackLog>

/** Without a new position for this long, the machine slept. Browsers report four positions a second, hidden pages one. */
const MAX_GAP_MS = 2_000
/** While the video waits for data, the state is read more often. */
const MAX_WAIT_MS = 180_000
/** How far the position may be ahead of the clock before it is a jump. */
const MAX_LEAD_SEC = 1
/** After it has stopped, the position may still move a little. */
const MIN_MOVE_SEC = 0.1

/** Keeps the totals of one playback session. Each call has the current position in the video. */
export function openPlaybackLog({ now, sec: startSec, rate: startRate, durationSec }: LogOptions) {
	const spans = openPlayedSpans()
	const quality = openShownQuality()
	const phase = openPlaybackPhase()
	let rate = startRate
	/** What was played up to here is counted. */
	let lastSec = startSec
	/** The newest position, and the time for which it is not clear yet whether the video played up to there. */
	let newestSec = startSec
	let unclearMs = 0
	/** The position of a seek came before the seek itself. */
	let isSeekKnown = false
	let countedAt = now()
	let movedAt = countedAt
	let activeAt = countedAt
	let watchedMs = 0
	let waitedMs = 0
	let stalledMs = 0
	let seekMs = 0
	let droppedFrames = 0
	let startupMs: number | null = null
	let error: string | null = null

	const countWaiting = (elapsedMs: number) => {
		const ms = Math.min(elapsedMs, MAX_WAIT_MS)
		if (phase.phase() === 'seeking') seekMs += ms
		if (!phase.wantsToPlay()) return
		if (phase.phase() === 'starting') waitedMs += ms
		if (phase.phase() !== 'stalled') return
		stalledMs += ms
		watchedMs += ms
	}
	const countPlaying = (ms: number) => {
		watchedMs += ms
		quality.play(ms)
	}
	/** Returns where the video was before a seek. When the browser reports a seek, the position is the new one. */
	const secBeforeSeek = () => {
		const sinceMs = now() - countedAt
		if (!phase.canPlay() || phase.phase() !== 'running' || sinceMs > MAX_GAP_MS) return newestSec
		return Math.max(newestSec, Math.min(newestSec + (sinceMs * rate) / 1_000, durationSec()))
	}
	/** Counts what was not clear so far. A video that shall play played, and another one moved by itself. */
	const settle = () => {
		if (phase.wantsToPlay() && startupMs !== null && unclearMs > 0) {
			countPlaying(unclearMs)
			spans.add(lastSec, newestSec)
		} else countWaiting(unclearMs)
		unclearMs = 0
		lastSec = newestSec
	}
	/** Goes on from another position, to which the video did not play. */
	const place = (sec: number) => {
		settle()
		lastSec = newestSec = sec
	}
	/** Counts the time since the last call. If the position moved, the video plays, and that shows since when. */
	const count = (sec: number) => {
		const at = now()
		const elapsedMs = Math.max(0, at - countedAt)
		const movedSec = sec - newestSec
		const movedMs = Math.min(elapsedMs, Math.max(0, movedSec * 1_000) / rate)
		const isRunning = phase.phase() === 'running'
		const isJump = movedSec < 0 || movedSec > (elapsedMs * rate) / 1_000 + MAX_LEAD_SEC
		const canPlay = phase.canPlay()
		const playedToSec = secBeforeSeek()
		countedAt = at
		if (canPlay && !isJump && sec - lastSec > (isRunning ? 0 : MIN_MOVE_SEC)) {
			const isContinuous = isRunning && at - movedAt <= MAX_GAP_MS
			const playedMs = isContinuous ? elapsedMs : movedMs
			countWaiting(elapsedMs - playedMs)
			startupMs ??= Math.round(waitedMs)
			phase.run()
			countPlaying(unclearMs + playedMs)
			unclearMs = 0
			spans.add(lastSec, sec)
			movedAt = activeAt = at
			isSeekKnown = false
			lastSec = newestSec = sec
		} else if (canPlay && isRunning) {
			countPlaying(Math.max(0, Math.min(elapsedMs, movedAt + MAX_GAP_MS - at + elapsedMs)))
			if (isJump && Math.abs(movedSec) > MIN_MOVE_SEC) {
				// The browser may report a new position before it reports the seek to it.
				settle()
				spans.add(lastSec, playedToSec)
				isSeekKnown = true
			}
			place(sec)
		} else if (isJump) {
			countWaiting(elapsedMs)
			place(sec)
		} else {
			// On a busy page, the video may play on before the browser reports that it plays, or that a seek has ended.
			countWaiting(elapsedMs - movedMs)
			unclearMs += movedMs
			newestSec = sec
		}
	}
	const apply = (happening: Happening) => {
		switch (happening.kind) {
			case 'timeupdate':
			case 'placed':
				return
			case 'ratechange':
				if (happening.rate > 0) rate = happening.rate
				return
			case 'rendition':
				return quality.show(happening.rendition, startupMs !== null)
			case 'delivered':
				return quality.load(happening.height, happening.ms)
			case 'dropped':
				droppedFrames += happening.frames
				return
		}
		if (happening.kind === 'failed') error = happening.code
		const { kind } = happening
		if (kind === 'play' || (kind === 'playing' && !phase.wantsToPlay())) activeAt = countedAt
		// From now on, the position is expected to move.
		if (kind === 'play' || kind === 'playing' || kind === 'seeked') movedAt = countedAt
		phase.change(kind)
	}

	return {
		record(happening: Happening, sec: number): void {
			if (phase.isOver()) return
			const { kind } = happening
			if (kind === 'placed') count(newestSec)
			else if (kind !== 'seeking') count(sec)
			else count(isSeekKnown && Math.abs(sec - newestSec) <= MIN_MOVE_SEC ? newestSec : secBeforeSeek())
			if (kind === 'seeking' || kind === 'placed') place(sec)
			if (kind === 'seeking') {
				spans.close()
				isSeekKnown = false
			}
			// In a paused video, a seek may end a little beside its position.
			if (kind === 'seeked' && !phase.wantsToPlay()) place(sec)
			if (kind === 'ended' || kind === 'failed') settle()
			apply(happening)
		},
		/** How long ago the video played, or the viewer asked to play. */
		idleMs: (): number => now() - activeAt,
		/** Returns everything that is known. No total is ever less than before. */
		state(sec: number): LoggedState {
			if (!phase.isOver()) count(sec)
			return {
				activity: phase.activity(),
				positionMs: Math.max(0, Math.round(sec * 1_000)),
				watchedMs: Math.round(watchedMs),
				played: spans.toTenths(),
				startupMs,
				waitedMs: Math.round(waitedMs),
				stalledMs: Math.round(stalledMs),
				seekMs: Math.round(seekMs),
				...phase.counts(),
				...quality.totals(),
				droppedFrames,
				error,
			}
		},
	}
}

import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
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
}

/** A state without its number in the session. */
export type LoggedState = Omit<PlaybackState, 'seq'>

export type PlaybackLog = ReturnType<typeof openPlaybackLog>

/**
 * Without a new position for this long, the machine slept. Browsers report four positions per second, hidden pages
 * one.
 */
const MAX_GAP_MS = 2_000
/** The same while the video waits for data. */
const MAX_WAIT_MS = 180_000
/** How far the position may precede the clock before it counts as a jump. */
const MAX_LEAD_MS = 1_000
/** After it has stopped, the position may still move a little. */
const MIN_MOVE_SEC = 0.1

/** Keeps the totals of one playback session. Each call has the current position in the video. */
export function openPlaybackLog({ now, sec: startSec, rate: startRate }: LogOptions) {
	const spans = openPlayedSpans()
	const quality = openShownQuality()
	const phase = openPlaybackPhase()
	let rate = startRate
	/** Everything up to this position is counted. */
	let lastSec = startSec
	/** Where the first frame will be. */
	let goalSec = startSec
	/** The newest position, and the time since `lastSec`, during which playback is unknown. */
	let newestSec = startSec
	let unclearMs = 0
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
	/**
	 * Returns the position before a seek. The browser reports the new one. The server trims positions after the end.
	 */
	const secBeforeSeek = () => {
		const sinceMs = now() - countedAt
		return phase.isPlaying() && sinceMs <= MAX_GAP_MS ? newestSec + (sinceMs * rate) / 1_000 : newestSec
	}
	/** Counts the uncounted time: as played if the viewer wants playback, else as waiting. */
	const settle = () => {
		if (phase.wantsToPlay() && startupMs !== null) {
			watchedMs += unclearMs
			quality.play(unclearMs)
			spans.add(lastSec, newestSec)
		} else countWaiting(unclearMs)
		unclearMs = 0
		lastSec = newestSec
	}
	/** Continues at a position that was not reached by playing. */
	const place = (sec: number) => {
		settle()
		lastSec = newestSec = sec
	}
	/** Counts the time since the last call. A moving position shows that the video plays, and since when. */
	const count = (sec: number) => {
		const at = now()
		const elapsedMs = Math.max(0, at - countedAt)
		const forwardMs = ((sec - newestSec) * 1_000) / rate
		// The first segment may begin before the start of the viewer; the position then moves there without playing.
		const isBeforeGoal = phase.phase() === 'starting' && newestSec < goalSec
		const isJump = isBeforeGoal || forwardMs < 0 || forwardMs > elapsedMs + MAX_LEAD_MS
		const movedMs = isJump ? 0 : Math.min(elapsedMs, forwardMs)
		const wasPlaying = phase.isPlaying()
		if (phase.canPlay() && !isJump && sec - lastSec > (wasPlaying ? 0 : MIN_MOVE_SEC)) {
			const playedMs = wasPlaying && at - movedAt <= MAX_GAP_MS ? elapsedMs : movedMs
			countWaiting(elapsedMs - playedMs)
			startupMs ??= Math.round(waitedMs)
			phase.run()
			unclearMs += playedMs
			newestSec = sec
			settle()
			movedAt = activeAt = at
		} else if (wasPlaying) {
			unclearMs += Math.min(elapsedMs, Math.max(0, movedAt + MAX_GAP_MS - countedAt))
			place(sec)
		} else {
			countWaiting(elapsedMs - movedMs)
			// On a busy page, the video may play on before the browser reports that it plays, or that a seek has ended.
			unclearMs += movedMs
			if (isJump) place(sec)
			newestSec = sec
		}
		countedAt = at
	}
	const apply = (happening: Happening) => {
		switch (happening.kind) {
			case 'timeupdate':
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
			case 'failed':
				error = happening.code
		}
		const { kind } = happening
		if (kind === 'play' || kind === 'playing') activeAt = countedAt
		// From now on, a video that plays is expected to move.
		movedAt = countedAt
		phase.change(kind)
		if (phase.isOver()) settle()
	}

	return {
		record(happening: Happening, sec: number): void {
			if (phase.isOver()) return
			const { kind } = happening
			const isSeek = kind === 'seeking'
			count(isSeek ? secBeforeSeek() : sec)
			// In a paused video, a seek may end a little beside its position.
			if (isSeek || (kind === 'seeked' && !phase.wantsToPlay())) place(sec)
			if (isSeek) {
				goalSec = sec
				spans.close()
			}
			apply(happening)
		},
		/** How long ago the video played, or the viewer asked to play. */
		idleMs: (): number => now() - activeAt,
		/** Returns the totals so far, which never decrease. */
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

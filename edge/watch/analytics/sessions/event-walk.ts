import {
	type Activity,
	MAX_COUNT,
	MAX_HEIGHTS,
	MAX_MS,
	MAX_PLAYED,
} from '#schema/contract/watch/analytics/playback-state.ts'
import { MINUTE, SECOND } from '../../../platform/clock.ts'
import { TICK_MS } from '../sums/spans.ts'
import type { SessionState } from './session.ts'
import type { ActivityReport, PlainEvent, TimedPlayerEvent } from './timed-event.ts'

/** Exceeds the longest heartbeat interval. During a longer gap the device slept, so nothing was played. */
const MAX_GAP_MS = 2.5 * MINUTE
const MAX_SPEED = 2
/** Events are a little early or late. */
const TOLERANCE_MS = 2 * SECOND

/** The state after the events so far. It is stored, so it must be JSON. */
export type WalkState = {
	at: number
	activity: Activity
	isPlaying: boolean
	isStalled: boolean
	isSeeking: boolean
	hasStarted: boolean
	/** Whether the viewer waits for the first frame. */
	isWaiting: boolean
	/** Whether the start of the wait is known. */
	isWaitKnown: boolean
	positionMs: number | null
	rate: number
	bitrateKbps: number | null
	height: number | null
	waitedMs: number
	startupMs: number | null
	watchedMs: number
	saidWatchedMs: number | null
	unplacedMs: number
	unsizedMs: number
	bitrateMs: number
	stalls: number
	stalledMs: number
	/** The number of reports that playback has stalled since the previous report. */
	starved: number
	/** The totals of the player itself. They count the same stalls as the numbers above, so the larger one is right. */
	reportedStalls: number
	reportedStalledMs: number
	seeks: number
	seekMs: number
	renditionsUp: number
	renditionsDown: number
	droppedFrames: number
	error: string | null
	played: number[]
	renditionMs: Record<string, number>
}

const startAt = (at: number): WalkState => ({
	at,
	activity: 'starting',
	isPlaying: false,
	isStalled: false,
	isSeeking: false,
	hasStarted: false,
	isWaiting: true,
	isWaitKnown: false,
	positionMs: null,
	rate: 1,
	bitrateKbps: null,
	height: null,
	waitedMs: 0,
	startupMs: null,
	watchedMs: 0,
	saidWatchedMs: null,
	unplacedMs: 0,
	unsizedMs: 0,
	bitrateMs: 0,
	stalls: 0,
	stalledMs: 0,
	starved: 0,
	reportedStalls: 0,
	reportedStalledMs: 0,
	seeks: 0,
	seekMs: 0,
	renditionsUp: 0,
	renditionsDown: 0,
	droppedFrames: 0,
	error: null,
	played: [],
	renditionMs: {},
})

/** Applies the events of a player in order, from the first one or from the state of an earlier walk. */
export class EventWalk {
	readonly #walked: WalkState

	constructor(from: number | WalkState) {
		this.#walked = typeof from === 'number' ? startAt(from) : structuredClone(from)
	}

	/** Returns the state so far, which the next event mutates. */
	walked(): WalkState {
		return this.#walked
	}

	take(event: TimedPlayerEvent): void {
		const gapMs = Math.min(event.at - this.#walked.at, MAX_GAP_MS)
		this.#walked.at = event.at
		if (this.#walked.isWaiting) this.#walked.waitedMs += gapMs
		this.#pass(gapMs, event.kind === 'seek' ? undefined : event.positionMs)
		if (event.positionMs !== undefined) this.#walked.positionMs = event.positionMs
		if (event.kind === 'activity') this.#takeReport(event)
		else this.#takePlain(event)
	}

	#takePlain({ kind, watchedMs, height, error }: PlainEvent): void {
		this.#walked.isWaitKnown = true
		if (watchedMs !== undefined)
			this.#walked.saidWatchedMs = Math.max(this.#walked.saidWatchedMs ?? 0, watchedMs)
		if (
			kind === 'play' ||
			(kind === 'heartbeat' && watchedMs !== undefined && this.#walked.activity === 'starting')
		)
			this.#start()
		if (kind === 'pause') this.#stop('paused')
		if (kind === 'view_end') this.#stop('ended')
		if (kind === 'seek') this.#walked.seeks++
		if (kind === 'buffer_start' && this.#walked.hasStarted) this.#stall()
		if (kind === 'buffer_end' && this.#walked.isStalled) {
			this.#walked.isStalled = false
			this.#walked.activity = this.#walked.isPlaying ? 'playing' : 'paused'
		}
		if (kind === 'quality_change' && height !== undefined) this.#walked.height = height
		if (kind === 'error') {
			this.#walked.error = error ?? 'unknown'
			this.#stop('failed')
		}
	}

	#takeReport(report: ActivityReport): void {
		if (report.activity !== undefined) this.#enter(report.activity, report.positionMs !== undefined)
		else if (!this.#walked.isWaitKnown) this.#walked.isWaiting = false
		this.#walked.rate = report.rate
		this.#showBitrate(report.bitrateKbps)
		if (report.isStarved === true) this.#walked.starved++
		this.#walked.reportedStalls = Math.max(this.#walked.reportedStalls, report.stalls ?? 0)
		this.#walked.reportedStalledMs = Math.max(this.#walked.reportedStalledMs, report.stalledMs ?? 0)
		this.#walked.droppedFrames = Math.max(this.#walked.droppedFrames, report.droppedFrames ?? 0)
		this.#walked.startupMs = report.startupMs ?? this.#walked.startupMs
		this.#walked.error = report.error ?? this.#walked.error
	}

	/** Records the current activity, which may be unchanged. */
	#enter(activity: NonNullable<ActivityReport['activity']>, hasPosition: boolean): void {
		if (activity === 'playing') {
			this.#walked.isSeeking = false
			this.#walked.isStalled = false
			this.#start()
			return
		}
		if (
			!this.#walked.hasStarted &&
			(activity === 'starting' || activity === 'stalled' || activity === 'seeking')
		) {
			this.#walked.isWaiting = true
			this.#walked.isWaitKnown ||= activity === 'starting'
			return
		}
		this.#walked.isWaiting = false
		if (activity === 'stalled') {
			// Waiting after a seek is a part of the seek.
			if (this.#walked.isSeeking) return
			this.#walked.isPlaying = true
			this.#stall()
			return
		}
		if (activity === 'starting' || activity === 'preparing') return
		if (activity === 'seeking' && !this.#walked.isSeeking) {
			this.#walked.seeks++
			if (!hasPosition) this.#walked.positionMs = null
		}
		this.#stop(activity)
		this.#walked.isSeeking = activity === 'seeking'
	}

	#showBitrate(kbps: number | undefined): void {
		if (kbps === undefined) return
		const before = this.#walked.bitrateKbps ?? kbps
		if (this.#walked.hasStarted && kbps > before) this.#walked.renditionsUp++
		if (this.#walked.hasStarted && kbps < before) this.#walked.renditionsDown++
		this.#walked.bitrateKbps = kbps
	}

	/** Accounts for the time since the previous event. */
	#pass(gapMs: number, positionMs: number | undefined): void {
		if (this.#walked.isSeeking) this.#walked.seekMs += gapMs
		if (!this.#walked.isPlaying) return
		this.#walked.watchedMs += gapMs
		if (this.#walked.isStalled) {
			this.#walked.stalledMs += gapMs
			return
		}
		this.#show(gapMs)
		if (this.#walked.positionMs === null) {
			this.#walked.unplacedMs += gapMs * this.#walked.rate
			return
		}
		// Without a position, as before a seek, the video has played on at its last speed.
		const end = Math.min(positionMs ?? this.#walked.positionMs + gapMs * this.#walked.rate, MAX_MS)
		const speed = Math.max(MAX_SPEED, this.#walked.rate)
		if (end - this.#walked.positionMs <= gapMs * speed + TOLERANCE_MS)
			this.#addSpan(this.#walked.positionMs, end)
		this.#walked.positionMs = end
	}

	#show(ms: number): void {
		const { height, bitrateKbps, renditionMs } = this.#walked
		const hasRoom =
			height !== null && (height in renditionMs || Object.keys(renditionMs).length < MAX_HEIGHTS)
		if (hasRoom) renditionMs[height] = (renditionMs[height] ?? 0) + ms
		if (bitrateKbps === null) return
		this.#walked.bitrateMs += bitrateKbps * ms
		if (!hasRoom) this.#walked.unsizedMs += ms
	}

	#addSpan(fromMs: number, toMs: number): void {
		const { played } = this.#walked
		const [start, end] = [Math.round(fromMs / TICK_MS), Math.round(toMs / TICK_MS)]
		if (end <= start) return
		if (played.at(-1) === start) played[played.length - 1] = end
		else if (played.length < MAX_PLAYED) played.push(start, end)
		else this.#walked.unplacedMs += (end - start) * TICK_MS
	}

	#start(): void {
		this.#walked.isPlaying = true
		this.#walked.isWaiting = false
		this.#walked.activity = this.#walked.isStalled ? 'stalled' : 'playing'
		if (!this.#walked.hasStarted && this.#walked.isWaitKnown) this.#walked.startupMs ??= this.#walked.waitedMs
		this.#walked.hasStarted = true
	}

	#stall(): void {
		if (this.#walked.isStalled) return
		this.#walked.stalls++
		this.#walked.isStalled = true
		this.#walked.activity = 'stalled'
	}

	#stop(activity: Activity): void {
		this.#walked.isPlaying = false
		this.#walked.isStalled = false
		this.#walked.activity = activity
	}

	/** Returns the state with a number. The next event changes its lists. */
	state(seq: number): SessionState {
		const walked = this.#walked
		return {
			seq: Math.min(MAX_COUNT, Math.max(1, seq)),
			activity: walked.activity,
			positionMs: Math.round(walked.positionMs ?? 0),
			watchedMs: walked.saidWatchedMs ?? walked.watchedMs,
			played: walked.played,
			unplacedMs: Math.round(walked.unplacedMs),
			startupMs: walked.startupMs,
			waitedMs: walked.waitedMs,
			stalls: Math.max(walked.stalls, walked.starved, walked.reportedStalls),
			stalledMs: Math.max(walked.stalledMs, walked.reportedStalledMs),
			seeks: walked.seeks,
			seekMs: walked.seekMs,
			renditionMs: walked.renditionMs,
			deliveredMs: {},
			bitrateMs: walked.bitrateMs,
			unsizedMs: walked.unsizedMs,
			upscaleMs: 0,
			upscaleMax: 0,
			renditionsUp: walked.renditionsUp,
			renditionsDown: walked.renditionsDown,
			droppedFrames: walked.droppedFrames,
			error: walked.error,
		}
	}
}

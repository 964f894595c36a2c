import type { Activity } from '#schema/contract/video/analytics/playback-state.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { SessionState } from './session.ts'
import type { ActivityReport, PlainEvent, ServedSegments, TimedEvent } from './timed-event.ts'

/** A device that slept did not play. Longer than the longest interval between two heartbeats. */
const MAX_GAP_MS = 2.5 * MINUTE
const MAX_SPEED = 2
const MAX_POSITION_MS = 2_000_000_000
/** Events are a little early or late. */
const TOLERANCE_MS = 2 * SECOND

/** Computes from sorted events what a player would say about its session. The order of arrival does not matter. */
export function stateOfEvents(events: readonly TimedEvent[]): SessionState {
	const served = events.filter((event) => event.kind === 'served')
	const reported = playerEventsOf(events)
	const walk = new EventWalk(reported[0]?.at ?? 0)
	for (const event of reported) walk.take(event)
	const state = walk.state(events.length)
	const starved = served.filter(({ isStarved }) => isStarved).length
	return { ...state, stalls: Math.max(state.stalls, starved), deliveredMs: addDelivered(served) }
}

function addDelivered(served: readonly ServedSegments[]): Record<string, number> {
	const total: Record<string, number> = {}
	for (const { deliveredMs } of served)
		for (const [height, ms] of Object.entries(deliveredMs)) total[height] = (total[height] ?? 0) + ms
	return total
}

/** Returns the events that the player itself reported. */
export const playerEventsOf = (events: readonly TimedEvent[]): (PlainEvent | ActivityReport)[] =>
	events.filter((event) => event.kind !== 'served')

/** Returns the state after each event of the player. */
export function* statesOfEvents(
	events: readonly TimedEvent[],
): Generator<{ at: number; state: SessionState }> {
	const reported = playerEventsOf(events)
	const walk = new EventWalk(reported[0]?.at ?? 0)
	for (const [k, event] of reported.entries()) {
		walk.take(event)
		yield { at: event.at, state: walk.state(k + 1) }
	}
}

class EventWalk {
	#at: number
	#activity: Activity = 'starting'
	#isPlaying = false
	#isStalled = false
	#isSeeking = false
	#hasStarted = false
	/** Whether the viewer waits for the first frame. */
	#isWaiting = true
	/** Whether it is known since when. */
	#isWaitKnown = false
	#positionMs: number | null = null
	#rate = 1
	#bitrateKbps: number | null = null
	#height: number | null = null
	#waitedMs = 0
	#startupMs: number | null = null
	#watchedMs = 0
	#saidWatchedMs: number | null = null
	#unplacedMs = 0
	#unsizedMs = 0
	#bitrateMs = 0
	#stalls = 0
	#stalledMs = 0
	/** Reports of a player that playback stalled since its report before. */
	#starved = 0
	/** Totals that the player reports. They are about the same stalls. */
	#reportedStalls = 0
	#reportedStalledMs = 0
	#seeks = 0
	#seekMs = 0
	#renditionsUp = 0
	#renditionsDown = 0
	#droppedFrames = 0
	#error: string | null = null
	readonly #played: number[] = []
	readonly #renditionMs: Record<string, number> = {}

	constructor(startedAt: number) {
		this.#at = startedAt
	}

	take(event: PlainEvent | ActivityReport): void {
		const gapMs = Math.min(event.at - this.#at, MAX_GAP_MS)
		this.#at = event.at
		if (this.#isWaiting) this.#waitedMs += gapMs
		this.#pass(gapMs, event.kind === 'seek' ? undefined : event.positionMs)
		if (event.positionMs !== undefined) this.#positionMs = event.positionMs
		if (event.kind === 'activity') this.#takeReport(event)
		else this.#takePlain(event)
	}

	#takePlain({ kind, watchedMs, height, error }: PlainEvent): void {
		this.#isWaitKnown = true
		if (watchedMs !== undefined) this.#saidWatchedMs = Math.max(this.#saidWatchedMs ?? 0, watchedMs)
		if (kind === 'play' || (kind === 'heartbeat' && watchedMs !== undefined && this.#activity === 'starting'))
			this.#start()
		if (kind === 'pause') this.#stop('paused')
		if (kind === 'view_end') this.#stop('ended')
		if (kind === 'seek') this.#seeks++
		if (kind === 'buffer_start' && this.#hasStarted) this.#stall()
		if (kind === 'buffer_end' && this.#isStalled) {
			this.#isStalled = false
			this.#activity = this.#isPlaying ? 'playing' : 'paused'
		}
		if (kind === 'quality_change' && height !== undefined) this.#height = height
		if (kind === 'error') {
			this.#error = error ?? 'unknown'
			this.#stop('failed')
		}
	}

	#takeReport(report: ActivityReport): void {
		if (report.activity !== undefined) this.#enter(report.activity, report.positionMs !== undefined)
		else if (!this.#isWaitKnown) this.#isWaiting = false
		this.#rate = report.rate
		this.#showBitrate(report.bitrateKbps)
		if (report.isStarved === true) this.#starved++
		this.#reportedStalls = Math.max(this.#reportedStalls, report.stalls ?? 0)
		this.#reportedStalledMs = Math.max(this.#reportedStalledMs, report.stalledMs ?? 0)
		this.#droppedFrames = Math.max(this.#droppedFrames, report.droppedFrames ?? 0)
		this.#startupMs = report.startupMs ?? this.#startupMs
		this.#error = report.error ?? this.#error
	}

	/** Takes what the player does now, which may be the same as before. */
	#enter(activity: NonNullable<ActivityReport['activity']>, hasPosition: boolean): void {
		if (activity === 'playing') {
			this.#isSeeking = false
			this.#isStalled = false
			this.#start()
			return
		}
		if (!this.#hasStarted && (activity === 'starting' || activity === 'stalled' || activity === 'seeking')) {
			this.#isWaiting = true
			this.#isWaitKnown ||= activity === 'starting'
			return
		}
		this.#isWaiting = false
		if (activity === 'stalled') {
			// Waiting after a seek is a part of the seek.
			if (this.#isSeeking) return
			this.#isPlaying = true
			this.#stall()
			return
		}
		if (activity === 'starting' || activity === 'preparing') return
		if (activity === 'seeking' && !this.#isSeeking) {
			this.#seeks++
			if (!hasPosition) this.#positionMs = null
		}
		this.#stop(activity)
		this.#isSeeking = activity === 'seeking'
	}

	#showBitrate(kbps: number | undefined): void {
		if (kbps === undefined) return
		const before = this.#bitrateKbps ?? kbps
		if (this.#hasStarted && kbps > before) this.#renditionsUp++
		if (this.#hasStarted && kbps < before) this.#renditionsDown++
		this.#bitrateKbps = kbps
	}

	/** Adds what happened since the event before. */
	#pass(gapMs: number, positionMs: number | undefined): void {
		if (this.#isSeeking) this.#seekMs += gapMs
		if (!this.#isPlaying) return
		this.#watchedMs += gapMs
		if (this.#isStalled) {
			this.#stalledMs += gapMs
			return
		}
		this.#show(gapMs)
		if (this.#positionMs === null) {
			this.#unplacedMs += gapMs * this.#rate
			return
		}
		// Without a position, as before a seek, the video has played on at its last speed.
		const end = Math.min(positionMs ?? this.#positionMs + gapMs * this.#rate, MAX_POSITION_MS)
		const speed = Math.max(MAX_SPEED, this.#rate)
		if (end - this.#positionMs <= gapMs * speed + TOLERANCE_MS) this.#addSpan(this.#positionMs, end)
		this.#positionMs = end
	}

	#show(ms: number): void {
		if (this.#height !== null) this.#renditionMs[this.#height] = (this.#renditionMs[this.#height] ?? 0) + ms
		if (this.#bitrateKbps === null) return
		this.#bitrateMs += this.#bitrateKbps * ms
		if (this.#height === null) this.#unsizedMs += ms
	}

	#addSpan(fromMs: number, toMs: number): void {
		const [start, end] = [Math.round(fromMs / 100), Math.round(toMs / 100)]
		if (end <= start) return
		if (this.#played.at(-1) === start) this.#played[this.#played.length - 1] = end
		else this.#played.push(start, end)
	}

	#start(): void {
		this.#isPlaying = true
		this.#isWaiting = false
		this.#activity = this.#isStalled ? 'stalled' : 'playing'
		if (!this.#hasStarted && this.#isWaitKnown) this.#startupMs ??= this.#waitedMs
		this.#hasStarted = true
	}

	#stall(): void {
		if (this.#isStalled) return
		this.#stalls++
		this.#isStalled = true
		this.#activity = 'stalled'
	}

	#stop(activity: Activity): void {
		this.#isPlaying = false
		this.#isStalled = false
		this.#activity = activity
	}

	state(seq: number): SessionState {
		return {
			seq: Math.max(1, seq),
			activity: this.#activity,
			positionMs: Math.round(this.#positionMs ?? 0),
			watchedMs: this.#saidWatchedMs ?? this.#watchedMs,
			played: this.#played,
			unplacedMs: Math.round(this.#unplacedMs),
			startupMs: this.#startupMs,
			waitedMs: this.#waitedMs,
			stalls: Math.max(this.#stalls, this.#starved, this.#reportedStalls),
			stalledMs: Math.max(this.#stalledMs, this.#reportedStalledMs),
			seeks: this.#seeks,
			seekMs: this.#seekMs,
			renditionMs: this.#renditionMs,
			deliveredMs: {},
			bitrateMs: this.#bitrateMs,
			unsizedMs: this.#unsizedMs,
			upscaleMs: 0,
			upscaleMax: 0,
			renditionsUp: this.#renditionsUp,
			renditionsDown: this.#renditionsDown,
			droppedFrames: this.#droppedFrames,
			error: this.#error,
		}
	}
}

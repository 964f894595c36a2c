import type { Activity, PlaybackState } from '#schema/contract/video/analytics/playback-state.ts'
import { type PlayerEvent, PlayerEventKind } from '#schema/contract/video/analytics/player-events.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'

/** An event of a player that sends no states. */
export type TimedEvent = Pick<PlayerEvent, 'kind' | 'positionMs' | 'watchedMs' | 'height' | 'error'> & {
	at: number
}

/** More than an hour of a player that sends an event every ten seconds. */
export const MAX_TIMED_EVENTS = 500
/** A device that slept did not play. Longer than the longest interval between two heartbeats. */
const MAX_GAP_MS = 2.5 * MINUTE
const MAX_SPEED = 2
const MAX_POSITION_MS = 2_000_000_000
/** Events are a little early or late. */
const TOLERANCE_MS = 2 * SECOND

/** An event that was received twice, or that says what another one says, counts once. */
export function addEvents(known: readonly TimedEvent[], added: readonly TimedEvent[]): TimedEvent[] {
	const byKey = new Map([...known, ...added].map((event) => [`${event.at} ${event.kind}`, event]))
	return [...byKey.values()].toSorted(compare).slice(0, MAX_TIMED_EVENTS)
}

const compare = (a: TimedEvent, b: TimedEvent): number =>
	a.at - b.at || PlayerEventKind.options.indexOf(a.kind) - PlayerEventKind.options.indexOf(b.kind)

/** Computes from sorted events what a player would say about its session. The order of arrival does not matter. */
export function stateOfEvents(events: readonly TimedEvent[]): PlaybackState {
	const walk = new EventWalk(events[0]?.at ?? 0)
	for (const event of events) walk.take(event)
	return walk.state(events.length)
}

class EventWalk {
	#at: number
	#isPlaying = false
	#isStalled = false
	#activity: Activity = 'starting'
	#positionMs: number | null = null
	#waitedMs = 0
	#startupMs: number | null = null
	#watchedMs = 0
	#saidWatchedMs: number | null = null
	#stalls = 0
	#stalledMs = 0
	#seeks = 0
	#height: number | null = null
	#error: string | null = null
	readonly #played: number[] = []
	readonly #renditionMs: Record<string, number> = {}

	constructor(startedAt: number) {
		this.#at = startedAt
	}

	take({ kind, at, positionMs, watchedMs, height, error }: TimedEvent): void {
		const gapMs = Math.min(at - this.#at, MAX_GAP_MS)
		this.#at = at
		if (this.#startupMs === null) this.#waitedMs += gapMs
		this.#pass(gapMs, kind === 'seek' ? undefined : positionMs)
		if (watchedMs !== undefined) this.#saidWatchedMs = Math.max(this.#saidWatchedMs ?? 0, watchedMs)
		if (positionMs !== undefined) this.#positionMs = positionMs
		if (kind === 'play' || (kind === 'heartbeat' && watchedMs !== undefined && this.#activity === 'starting'))
			this.#start()
		if (kind === 'pause') this.#stop('paused')
		if (kind === 'view_end') this.#stop('ended')
		if (kind === 'seek') this.#seeks++
		if (kind === 'buffer_start' && this.#startupMs !== null && !this.#isStalled) {
			this.#stalls++
			this.#isStalled = true
			this.#activity = 'stalled'
		}
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

	/** Adds what happened since the event before. */
	#pass(gapMs: number, positionMs: number | undefined): void {
		if (!this.#isPlaying) return
		this.#watchedMs += gapMs
		if (this.#isStalled) {
			this.#stalledMs += gapMs
			return
		}
		if (this.#height !== null)
			this.#renditionMs[this.#height] = (this.#renditionMs[this.#height] ?? 0) + gapMs
		if (this.#positionMs === null) return
		// Without a position, as before a seek, the video has played on at its usual speed.
		const end = Math.min(positionMs ?? this.#positionMs + gapMs, MAX_POSITION_MS)
		if (end - this.#positionMs <= gapMs * MAX_SPEED + TOLERANCE_MS) this.#addSpan(this.#positionMs, end)
		this.#positionMs = end
	}

	#addSpan(fromMs: number, toMs: number): void {
		const [start, end] = [Math.round(fromMs / 100), Math.round(toMs / 100)]
		if (end <= start) return
		if (this.#played.at(-1) === start) this.#played[this.#played.length - 1] = end
		else this.#played.push(start, end)
	}

	#start(): void {
		this.#isPlaying = true
		this.#activity = this.#isStalled ? 'stalled' : 'playing'
		this.#startupMs ??= this.#waitedMs
	}

	#stop(activity: Activity): void {
		this.#isPlaying = false
		this.#isStalled = false
		this.#activity = activity
	}

	state(seq: number): PlaybackState {
		return {
			seq: Math.max(1, seq),
			activity: this.#activity,
			positionMs: this.#positionMs ?? 0,
			watchedMs: this.#saidWatchedMs ?? this.#watchedMs,
			played: this.#played,
			startupMs: this.#startupMs,
			waitedMs: this.#waitedMs,
			stalls: this.#stalls,
			stalledMs: this.#stalledMs,
			seeks: this.#seeks,
			seekMs: 0,
			renditionMs: this.#renditionMs,
			deliveredMs: {},
			bitrateMs: 0,
			upscaleMs: 0,
			upscaleMax: 0,
			renditionsUp: 0,
			renditionsDown: 0,
			droppedFrames: 0,
			error: this.#error,
		}
	}
}

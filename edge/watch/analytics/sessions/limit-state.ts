import { MINUTE } from '../../../platform/clock.ts'
import { mapRecord } from '../sums/records.ts'
import { sumSpansMs, TICK_MS, toPlayedSpans } from '../sums/spans.ts'
import type { SessionState } from './session.ts'

/** A first report may come late: after three rejections, a player has repeated it after two minutes. */
const GRACE_MS = 2 * MINUTE
/** The highest speed of the player (SPEED_LIMITS), and what other players offer. */
const MAX_SPEED = 4
/** A player loads ahead at the speed of its connection, until its buffer is full (engine-config.ts). */
const MAX_LOADING_SPEED = 16
const MAX_AHEAD_MS = 2 * MINUTE
const MAX_FRAMES_PER_TICK = 24
export const MAX_KBPS = 200_000

/** Limits the claims of a session to what is possible since its first report arrived. */
export function limitState(state: SessionState, elapsedMs: number): SessionState {
	const possibleMs = elapsedMs + GRACE_MS
	const watchedMs = Math.min(state.watchedMs, possibleMs)
	const playableMs = elapsedMs * MAX_SPEED + GRACE_MS
	const played = firstTicks(state.played, Math.floor(playableMs / TICK_MS))
	return {
		...state,
		watchedMs,
		stalledMs: Math.min(state.stalledMs, watchedMs),
		seekMs: Math.min(state.seekMs, possibleMs),
		startupMs: state.startupMs === null ? null : Math.min(state.startupMs, possibleMs),
		waitedMs: Math.min(state.waitedMs, possibleMs),
		played,
		...(state.unplacedMs !== undefined && {
			unplacedMs: Math.min(state.unplacedMs, playableMs - sumSpansMs(toPlayedSpans(played, 0))),
		}),
		...limitCounts(state, Math.ceil(possibleMs / TICK_MS)),
		...limitShares(state, possibleMs),
		deliveredMs: scaled(state.deliveredMs, loadableMs(elapsedMs) / Math.max(1, sumOf(state.deliveredMs))),
	}
}

/**
 * Returns how much can have been loaded since the first report. The played time is no limit: it is a claim, too, and
 * seeks load more than is played.
 */
const loadableMs = (elapsedMs: number): number =>
	Math.min(elapsedMs * MAX_LOADING_SPEED, MAX_AHEAD_MS + elapsedMs * MAX_SPEED)

/** Nothing except frames occurs more than ten times a second. */
const limitCounts = (
	{ stalls, seeks, renditionsUp, renditionsDown, droppedFrames }: SessionState,
	most: number,
) => ({
	stalls: Math.min(stalls, most),
	seeks: Math.min(seeks, most),
	renditionsUp: Math.min(renditionsUp, most),
	renditionsDown: Math.min(renditionsDown, most),
	droppedFrames: Math.min(droppedFrames, most * MAX_FRAMES_PER_TICK),
})

/** Returns the spans that were played first, with a total length of at most `ticks`. */
function firstTicks(played: readonly number[], ticks: number): number[] {
	const kept: number[] = []
	let left = ticks
	for (let i = 0; i + 1 < played.length && left > 0; i += 2) {
		const [start = 0, end = 0] = [played[i], played[i + 1]]
		kept.push(start, Math.min(end, start + left))
		left -= end - start
	}
	return kept
}

/** Scales down the values measured per shown time if their total exceeds what is possible. */
function limitShares(
	{ renditionMs, unsizedMs, bitrateMs, upscaleMs, upscaleMax }: SessionState,
	possibleMs: number,
) {
	const claimedMs = sumOf(renditionMs) + (unsizedMs ?? 0)
	const shown = Math.min(1, possibleMs / Math.max(1, claimedMs))
	return {
		renditionMs: scaled(renditionMs, shown),
		...(unsizedMs !== undefined && { unsizedMs: Math.floor(unsizedMs * shown) }),
		bitrateMs: Math.min(bitrateMs, claimedMs * MAX_KBPS) * shown,
		upscaleMs: Math.min(upscaleMs, claimedMs * upscaleMax) * shown,
	}
}

const sumOf = (values: Record<string, number>): number =>
	Object.values(values).reduce((sum, value) => sum + value, 0)

const scaled = (values: Record<string, number>, factor: number): Record<string, number> =>
	factor >= 1 ? values : mapRecord(values, (value) => Math.floor(value * factor))

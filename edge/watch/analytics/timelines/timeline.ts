import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'

/** What was known about a session at one moment. Totals are those since its start. */
export type Snapshot = Pick<PlaybackState, 'activity' | 'positionMs' | 'stalls' | 'stalledMs' | 'error'> & {
	at: number
	/** How long each quality was shown: height, milliseconds, and so on. Objects with such keys take far more memory. */
	shown: number[]
}

export type Timeline = {
	/** In the order of time. */
	snapshots: Snapshot[]
	/** The number of snapshots that the limit left out. */
	omitted: number
}

const MAX_SNAPSHOTS = 200
/** The start and the latest part of a session stay complete. */
const KEPT_AT_EACH_END = 50

export const emptyTimeline: Timeline = { snapshots: [], omitted: 0 }

/**
 * Adds a snapshot of a state. While nothing but the position changes, only the first and the last snapshots stay. The
 * last one always has the totals of the newest state, and any other can be left out without changing the totals of
 * those after it.
 */
export function addToTimeline(
	{ snapshots, omitted }: Timeline,
	arrivedAt: number,
	{ activity, positionMs, renditionMs, stalls, stalledMs, error }: PlaybackState,
): Timeline {
	const [before, last] = [snapshots.at(-2), snapshots.at(-1)]
	// The clocks of the machines that serve a session may differ.
	const at = Math.max(arrivedAt, last?.at ?? arrivedAt)
	const next = {
		at,
		activity,
		positionMs,
		shown: Object.entries(renditionMs).flat().map(Number),
		stalls,
		stalledMs,
		error,
	}
	const isLastNeeded = !before || !last || !isUneventful(before, last, next)
	return thinOut([...(isLastNeeded ? snapshots : snapshots.slice(0, -1)), next], omitted)
}

const isUneventful = (before: Snapshot, last: Snapshot, next: Snapshot): boolean =>
	hasSameEvents(before, last) &&
	hasSameEvents(last, next) &&
	heightsShown(before, last) === heightsShown(last, next)

const hasSameEvents = (a: Snapshot, b: Snapshot): boolean =>
	a.activity === b.activity && a.stalls === b.stalls && a.stalledMs === b.stalledMs && a.error === b.error

const heightsShown = (from: Snapshot, to: Snapshot): string => Object.keys(diffShown(from, to)).join()

/** Returns how long each quality was shown, by its height. */
export const diffShown = (from: Snapshot | undefined, to: Snapshot): Record<string, number> =>
	Object.fromEntries(
		pairsOf(to.shown)
			.map(([height, ms]) => [height, ms - (from ? shownAt(from, height) : 0)] as const)
			.filter(([, ms]) => ms > 0),
	)

const shownAt = ({ shown }: Snapshot, height: number): number =>
	pairsOf(shown).find(([each]) => each === height)?.[1] ?? 0

const pairsOf = (shown: readonly number[]): [height: number, ms: number][] =>
	Array.from({ length: shown.length / 2 }, (_, k) => [shown[2 * k] ?? 0, shown[2 * k + 1] ?? 0])

/** Leaves out every second snapshot of the middle. */
function thinOut(snapshots: Snapshot[], omitted: number): Timeline {
	if (snapshots.length <= MAX_SNAPSHOTS) return { snapshots, omitted }
	const end = snapshots.length - KEPT_AT_EACH_END
	const kept = snapshots.filter((_, k) => k < KEPT_AT_EACH_END || k >= end || k % 2 === 0)
	return { snapshots: kept, omitted: omitted + snapshots.length - kept.length }
}

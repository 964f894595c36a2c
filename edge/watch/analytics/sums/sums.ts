import { addBreakdowns, type Breakdowns, boundBreakdowns, emptyBreakdowns } from './breakdowns.ts'
import { addCurves, computeCurve, packCurve, unpackCurve } from './curve.ts'
import { addExactly } from './exact.ts'
import { type Histogram, mergeHistograms } from './histogram.ts'
import type { Scores } from './scores.ts'
import { mergeVisitors, noVisitors, type Visitors } from './visitors.ts'

const noCounts = {
	/** Sessions, whether playback started or not. */
	attempts: 0,
	starts: 0,
	views: 0,
	engaged: 0,
	completed: 0,
	/** The viewer left after at least a second of waiting, without an error. */
	exitsBeforeStart: 0,
	/** Sessions that an error ended, startup failures included. */
	failures: 0,
	startupFailures: 0,
	/** Starts that are in the curve. */
	placedStarts: 0,
	/** Views of players that never report which part of the video they play. */
	unplacedViews: 0,
	/** Stalls included. */
	watchedMs: 0,
	/** Repetitions included. */
	playedMs: 0,
	/** Each moment of the video counts once for a session. */
	coveredMs: 0,
	/** The sum over views of the share of the video that was covered. */
	watchedShare: 0,
	stalls: 0,
	stalledMs: 0,
	seeks: 0,
	seekMs: 0,
	/** The time base of `upscaleMs`, and with `unsizedMs` that of `bitrateMs`. */
	shownMs: 0,
	/** How long pictures of an unknown size were shown. */
	unsizedMs: 0,
	bitrateMs: 0,
	upscaleMs: 0,
	renditionsUp: 0,
	renditionsDown: 0,
	droppedFrames: 0,
}
export type Counts = typeof noCounts

/** Attempts that are counted nowhere else. */
export type Excluded = { member: number; bot: number; crowd: number }
export const noneExcluded: Excluded = { member: 0, bot: 0, crowd: 0 }

/** A mean is `sum / count`, and has no value if `count` is 0. */
export type Mean = { sum: number; count: number }
export type ScoreMeans = Record<keyof Scores, Mean>

/**
 * Everything that is added up about the sessions of one video in one hour. It contains only sums, so hours, shards and
 * days can be added too. It can be stored as JSON.
 */
export type Sums = Counts & {
	excluded: Excluded
	/** Startup times in milliseconds. */
	startup: Histogram
	scores: ScoreMeans
	/** Visitors with a start. */
	visitors: Visitors
	/**
	 * A packed curve, in which each bucket is covered at most `placedStarts` times. Null if the duration of the video is
	 * unknown.
	 */
	curve: string | null
	by: Breakdowns
}

/** Returns the sums of no session. Adding them changes nothing. */
export function emptySums(durationMs: number): Sums {
	const curve = computeCurve([], durationMs)
	return {
		...noCounts,
		excluded: { ...noneExcluded },
		startup: {},
		scores: mapScores(() => ({ sum: 0, count: 0 })),
		visitors: noVisitors,
		curve: curve && packCurve(curve),
		by: emptyBreakdowns(),
	}
}

/**
 * Adds sums of the same video. The result does not depend on order or grouping. Throws if the curves have different
 * buckets, because the video was replaced.
 */
export const addSums = (a: Sums, b: Sums): Sums => ({
	...addNumbers(a, b, countNames),
	excluded: addNumbers(a.excluded, b.excluded, ['member', 'bot', 'crowd']),
	startup: mergeHistograms(a.startup, b.startup),
	scores: mapScores((name) => addNumbers(a.scores[name], b.scores[name], ['sum', 'count'])),
	visitors: mergeVisitors(a.visitors, b.visitors),
	curve: addPackedCurves(a.curve, b.curve),
	by: addBreakdowns(a.by, b.by),
})

/**
 * Adds any number of sums of the same video. Adding halves is several times faster than adding one by one, because most
 * additions are then of small sums.
 */
export function addAllSums(all: readonly Sums[], durationMs: number): Sums {
	const [first, second] = [all[0], all[1]]
	if (first === undefined) return emptySums(durationMs)
	if (second === undefined) return first
	const middle = Math.ceil(all.length / 2)
	return addSums(addAllSums(all.slice(0, middle), durationMs), addAllSums(all.slice(middle), durationMs))
}

/**
 * Limits the breakdowns, whose keys come from outside, to 100 keys each. The smallest become `other`. Apply it only when
 * sums are stored or read: a key that is small in each of two sums can be large in both together, so sums that were
 * bounded before they were added depend on the grouping. Totals over all keys never change.
 */
export const boundSums = (sums: Sums): Sums => ({ ...sums, by: boundBreakdowns(sums.by) })

const countNames = Object.keys(noCounts) as (keyof Counts)[]

function addNumbers<Name extends string>(
	a: Record<Name, number>,
	b: Record<Name, number>,
	names: readonly Name[],
): Record<Name, number> {
	const entries = names.map((name) => [name, addExactly(a[name], b[name])] as const)
	return Object.fromEntries(entries) as Record<Name, number>
}

const mapScores = (meanOf: (name: keyof Scores) => Mean): ScoreMeans => ({
	success: meanOf('success'),
	startup: meanOf('startup'),
	smoothness: meanOf('smoothness'),
	quality: meanOf('quality'),
	overall: meanOf('overall'),
})

function addPackedCurves(a: string | null, b: string | null): string | null {
	if (a === null || b === null) return a ?? b
	return packCurve(addCurves(unpackCurve(a), unpackCurve(b)))
}

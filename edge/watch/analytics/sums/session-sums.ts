import { composeQualityName } from '#schema/contract/video/quality.ts'
import type { PlaybackSession, SessionState } from '../sessions/session.ts'
import { type Breakdowns, emptyBreakdowns, type Part } from './breakdowns.ts'
import { computeCurve, packCurve } from './curve.ts'
import { isExitBeforeStart, isFailed } from './endings.ts'
import { roundForSums } from './exact.ts'
import { computeFunnel, isUnplaced, sumCoveredMs, sumPlayedMs } from './funnel.ts'
import { addToHistogram } from './histogram.ts'
import { toSortedRecord } from './records.ts'
import { computeScores, sumShownMs } from './scores.ts'
import { toWholeDurationMs } from './spans.ts'
import {
	type Counts,
	type Excluded,
	emptySums,
	type Mean,
	noneExcluded,
	type ScoreMeans,
	type Sums,
} from './sums.ts'
import { addVisitor, noVisitors } from './visitors.ts'

/** Returns what one session adds. All but those of viewers add only to `excluded`, and to what was delivered. */
export function sumSession(session: PlaybackSession, durationMs: number): Sums {
	const { audience, state, visitor } = session
	if (audience !== 'viewer') return excludedSumsOf(audience, state, durationMs)
	const counts = countsOf(session, durationMs)
	const curve = computeCurve(state.played, durationMs)
	return {
		...counts,
		excluded: { ...noneExcluded },
		startup: state.startupMs === null ? {} : addToHistogram({}, state.startupMs),
		scores: scoreMeansOf(session),
		visitors: counts.starts === 0 || visitor === null ? noVisitors : addVisitor(noVisitors, visitor),
		curve: curve && packCurve(curve),
		by: breakdownsOf(session, counts),
	}
}

function excludedSumsOf(audience: keyof Excluded, { deliveredMs }: SessionState, durationMs: number): Sums {
	const delivered = byQuality(deliveredMs)
	return {
		...emptySums(durationMs),
		excluded: { ...noneExcluded, [audience]: 1 },
		by: { ...emptyBreakdowns(), delivered, deliveredToOthers: delivered },
	}
}

function countsOf({ state }: PlaybackSession, durationMs: number): Counts {
	const { isStart, isView, isEngaged, isCompleted } = computeFunnel(state, durationMs)
	const coveredMs = sumCoveredMs(state, durationMs)
	const shownMs = sumShownMs(state)
	const unsizedMs = state.unsizedMs ?? 0
	return {
		attempts: 1,
		starts: Number(isStart),
		views: Number(isView),
		engaged: Number(isEngaged),
		completed: Number(isCompleted),
		exitsBeforeStart: Number(isExitBeforeStart(state)),
		failures: Number(isFailed(state)),
		startupFailures: Number(isFailed(state) && !isStart),
		placedStarts: Number(isStart && !isUnplaced(state) && toWholeDurationMs(durationMs) > 0),
		unplacedViews: Number(isView && isUnplaced(state)),
		watchedMs: state.watchedMs,
		playedMs: sumPlayedMs(state, durationMs),
		coveredMs,
		// Without a duration, nothing is covered.
		watchedShare: isView && coveredMs > 0 ? roundForSums(coveredMs / toWholeDurationMs(durationMs)) : 0,
		stalls: state.stalls,
		stalledMs: state.stalledMs,
		seeks: state.seeks,
		seekMs: state.seekMs,
		shownMs,
		// Without a time base, these would raise the averages of other sessions.
		unsizedMs,
		bitrateMs: shownMs + unsizedMs === 0 ? 0 : Math.round(state.bitrateMs),
		upscaleMs: shownMs === 0 ? 0 : Math.round(state.upscaleMs),
		renditionsUp: state.renditionsUp,
		renditionsDown: state.renditionsDown,
		droppedFrames: state.droppedFrames,
	}
}

function scoreMeansOf({ state }: PlaybackSession): ScoreMeans {
	const { success, startup, smoothness, quality, overall } = computeScores(state)
	return {
		success: meanOf(success),
		startup: meanOf(startup),
		smoothness: meanOf(smoothness),
		quality: meanOf(quality),
		overall: meanOf(overall),
	}
}

const meanOf = (score: number | null): Mean =>
	score === null ? { sum: 0, count: 0 } : { sum: roundForSums(score), count: 1 }

function breakdownsOf(
	{ place, state, startedAt }: PlaybackSession,
	{ views, watchedMs }: Counts,
): Breakdowns {
	// A session that played nothing adds no keys. A computed key is an own property, even if it is `__proto__`.
	const partOf = (key: string): Record<string, Part> =>
		views === 0 && watchedMs === 0 ? {} : { [key]: { views, watchedMs } }
	return {
		device: partOf(place.device),
		browser: partOf(place.browser),
		country: partOf(place.country ?? 'unknown'),
		referrer: partOf(place.referrer ?? 'direct'),
		player: partOf(place.player),
		hour: partOf(new Date(startedAt).toISOString().slice(11, 13)),
		rendition: byQuality(state.renditionMs),
		delivered: byQuality(state.deliveredMs),
		deliveredToOthers: {},
		error: isFailed(state) ? { [state.error ?? 'unknown']: 1 } : {},
	}
}

/** Bare numbers as keys would make V8 reserve an array of that length in the sums of each session. */
const byQuality = (heights: Record<string, number>): Record<string, number> =>
	toSortedRecord(
		new Map(
			Object.entries(heights)
				.filter(([, ms]) => ms > 0)
				.map(([height, ms]) => [composeQualityName(Number(height)), ms]),
		),
	)

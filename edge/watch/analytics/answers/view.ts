import type { AssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import { MINUTE, startOfDay, toIso } from '../../../platform/clock.ts'
import { addSumsOfDuration, type PeriodSums } from '../sessions/hour-sums.ts'
import type { Part } from '../sums/breakdowns.ts'
import { unpackCurve } from '../sums/curve.ts'
import { computeQuantile } from '../sums/histogram.ts'
import { SCORE_MODEL } from '../sums/scores.ts'
import { boundSums, type Mean, type Sums } from '../sums/sums.ts'
import { countVisitors, mergeVisitors, noVisitors } from '../sums/visitors.ts'
import { type Period, startOfPeriod } from './period.ts'

export function viewAnalytics(
	parts: readonly PeriodSums[],
	{ from, to, granularity }: Period,
	durationMs: number,
	now: number,
): AssetAnalytics {
	const sums = boundSums(
		addSumsOfDuration(
			parts.map((part) => part.sums),
			durationMs,
		),
	)
	const steps = [...Map.groupBy(parts, (part) => startOfPeriod(part.from, granularity))]
	return {
		from: toIso(from),
		to: toIso(to),
		granularity,
		at: toIso(now),
		totals: {
			attempts: sums.attempts,
			starts: sums.starts,
			views: sums.views,
			engaged: sums.engaged,
			completed: sums.completed,
			members: sums.excluded.member,
			bots: sums.excluded.bot,
			crowded: sums.excluded.crowd,
			watchedMs: sums.watchedMs,
			playedMs: sums.playedMs,
			dailyUniques: [...Map.groupBy(parts, (part) => startOfDay(part.from)).values()].reduce(
				(total, day) => total + uniquesIn(day),
				0,
			),
			averageShareWatched: ratio(sums.watchedShare, sums.views - sums.unplacedViews),
		},
		retention: viewRetention(sums, durationMs),
		series: steps
			.map(([at, group]) => ({
				at: toIso(at),
				starts: totalOf(group, 'starts'),
				views: totalOf(group, 'views'),
				watchedMs: totalOf(group, 'watchedMs'),
				uniques: uniquesIn(group),
			}))
			.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
		devices: partsOf(sums.by.device),
		browsers: partsOf(sums.by.browser),
		countries: partsOf(sums.by.country),
		referrers: partsOf(sums.by.referrer),
		players: partsOf(sums.by.player),
		hoursOfDay: viewHours(sums.by.hour),
		renditions: amountsOf(sums.by.rendition),
		delivered: amountsOf(deliveredToViewers(sums)),
		errors: Object.entries(sums.by.error)
			.map(([key, count]) => ({ key, count }))
			.toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1)),
		quality: viewQuality(sums),
	}
}

const ratio = (amount: number, of: number): number | null => (of > 0 ? amount / of : null)
const meanOf = ({ sum, count }: Mean): number | null => ratio(sum, count)

const totalOf = (parts: readonly PeriodSums[], name: 'starts' | 'views' | 'watchedMs'): number =>
	parts.reduce((total, { sums }) => total + sums[name], 0)

/** Merges the visitor sketches, so that a visitor in several parts counts once. */
const uniquesIn = (parts: readonly PeriodSums[]): number =>
	Math.round(
		countVisitors(parts.reduce((visitors, { sums }) => mergeVisitors(visitors, sums.visitors), noVisitors)),
	)

function viewRetention({ curve, placedStarts }: Sums, durationMs: number): AssetAnalytics['retention'] {
	if (curve === null) return null
	const { bucketMs, heat, cover } = unpackCurve(curve)
	// A video that is shorter now had more buckets before.
	const buckets = Math.ceil(durationMs / bucketMs)
	// The last bucket may be shorter.
	const lengthOf = (bucket: number) => Math.max(1, Math.min(bucketMs, durationMs - bucket * bucketMs))
	return {
		bucketMs,
		shares: cover
			.slice(0, buckets)
			.map((ms, bucket) => (placedStarts > 0 ? Math.min(1, ms / (lengthOf(bucket) * placedStarts)) : 0)),
		plays: heat.slice(0, buckets).map((ms, bucket) => ms / lengthOf(bucket)),
	}
}

const viewQuality = (sums: Sums): AssetAnalytics['quality'] => ({
	startupMs: {
		p50: computeQuantile(sums.startup, 0.5),
		p75: computeQuantile(sums.startup, 0.75),
		p95: computeQuantile(sums.startup, 0.95),
	},
	exitsBeforeStart: ratio(sums.exitsBeforeStart, sums.attempts),
	failures: ratio(sums.failures, sums.attempts),
	startupFailures: ratio(sums.startupFailures, sums.attempts),
	stalled: ratio(sums.stalledMs, sums.watchedMs),
	stallsPerMinute: ratio(sums.stalls * MINUTE, sums.watchedMs),
	seekMs: ratio(sums.seekMs, sums.seeks),
	bitrateKbps: ratio(sums.bitrateMs, sums.shownMs + sums.unsizedMs),
	upscale: ratio(sums.upscaleMs, sums.shownMs),
	switchesUp: sums.renditionsUp,
	switchesDown: sums.renditionsDown,
	droppedFrames: sums.droppedFrames,
	scoreModel: SCORE_MODEL,
	scores: {
		success: meanOf(sums.scores.success),
		startup: meanOf(sums.scores.startup),
		smoothness: meanOf(sums.scores.smoothness),
		quality: meanOf(sums.scores.quality),
		overall: meanOf(sums.scores.overall),
	},
})

const partsOf = (parts: Record<string, Part>) =>
	Object.entries(parts)
		.map(([key, { views, watchedMs }]) => ({ key, views, watchedMs }))
		.toSorted((a, b) => b.views - a.views || b.watchedMs - a.watchedMs || (a.key < b.key ? -1 : 1))

const viewHours = (hours: Record<string, Part>): AssetAnalytics['hoursOfDay'] =>
	Array.from({ length: 24 }, (_, hour) => ({
		hour,
		...(hours[String(hour).padStart(2, '0')] ?? { views: 0, watchedMs: 0 }),
	}))

/** Analytics exclude delivery to members and programs. Usage (edge/accounts/orgs/usage) includes it. */
const deliveredToViewers = ({ by: { delivered, deliveredToOthers } }: Sums): Record<string, number> => {
	const others = new Map(Object.entries(deliveredToOthers))
	const toViewers = Object.entries(delivered).map(
		([quality, ms]) => [quality, Math.max(0, ms - (others.get(quality) ?? 0))] as const,
	)
	return Object.fromEntries(toViewers.filter(([, ms]) => ms > 0))
}

const amountsOf = (amounts: Record<string, number>) =>
	Object.entries(amounts)
		.map(([key, ms]) => ({ key, ms }))
		.toSorted((a, b) => b.ms - a.ms || (a.key < b.key ? -1 : 1))

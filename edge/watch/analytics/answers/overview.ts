import type { AnalyticsOverview } from '#schema/contract/watch/analytics/overview.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { OrgPeriod } from '../org/org-object.ts'
import { requireOrgAnalytics } from '../org/org-stub.ts'
import type { VideoCounts } from '../org/video-counts.ts'
import { type Period, type PeriodQuery, readPeriod } from './period.ts'
import { findTitles, type TitledVideo } from './titles.ts'
import { viewAnalytics } from './view.ts'

const TOP_VIDEOS = 20
/** Extra rows to read, because some of the most watched videos may have been deleted. */
const SPARE_VIDEOS = 40

export async function readOverview(
	deps: Deps,
	orgId: string,
	query: PeriodQuery,
): Promise<AnalyticsOverview> {
	const { period, before } = readPeriod(query, deps.now)
	const org = requireOrgAnalytics(deps.env.bindings, orgId)
	const read = await org.period(before.from, period.from, period.to, TOP_VIDEOS + SPARE_VIDEOS)
	const titles = await findTitles(
		deps.db,
		orgId,
		read.top.map(({ playbackId }) => playbackId),
	)
	return viewOverview(read, titles, period, before, deps.now)
}

function viewOverview(
	read: OrgPeriod,
	titles: readonly TitledVideo[],
	period: Period,
	before: Period,
	now: number,
): AnalyticsOverview {
	const { retention: _, ...current } = viewAnalytics(read.parts, period, 0, now)
	const { totals } = viewAnalytics(read.before, before, 0, now)
	const change = (name: 'starts' | 'views' | 'watchedMs' | 'dailyUniques') =>
		totals[name] > 0 ? current.totals[name] / totals[name] - 1 : null
	return {
		...current,
		before: {
			from: toIso(before.from),
			to: toIso(before.to),
			totals,
			changes: {
				starts: change('starts'),
				views: change('views'),
				watchedMs: change('watchedMs'),
				dailyUniques: change('dailyUniques'),
			},
		},
		topVideos: withTitles(read.top, titles).slice(0, TOP_VIDEOS),
	}
}

function withTitles(
	counts: readonly VideoCounts[],
	titles: readonly TitledVideo[],
): AnalyticsOverview['topVideos'] {
	const known = new Map(titles.map((video) => [video.playbackId, video]))
	return counts.flatMap((count) => {
		const video = known.get(count.playbackId)
		return video ? [{ ...count, ...video }] : []
	})
}

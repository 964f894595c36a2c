import type {
	AnalyticsTable,
	AssetAnalytics,
	CommonTable,
} from '#schema/contract/watch/analytics/asset-analytics.ts'
import type { AnalyticsOverview, OverviewTable } from '#schema/contract/watch/analytics/overview.ts'
import { writeCsv } from '../../../platform/csv.ts'

/** The columns that most tables have. */
const viewColumns = {
	views: ({ views }: { views: number }) => views,
	watchedMs: ({ watchedMs }: { watchedMs: number }) => watchedMs,
}
const keyOf = ({ key }: { key: string }) => key

const commonTables: Record<CommonTable, (analytics: Omit<AssetAnalytics, 'retention'>) => string> = {
	series: ({ series }) =>
		writeCsv(
			{
				at: ({ at }) => at,
				starts: ({ starts }) => starts,
				...viewColumns,
				uniques: ({ uniques }) => uniques,
			},
			series,
		),
	totals: ({ totals }) =>
		writeCsv({ total: ([name]) => name, value: ([, value]) => value }, Object.entries(totals)),
	countries: ({ countries }) => writeCsv({ country: keyOf, ...viewColumns }, countries),
	devices: ({ devices }) => writeCsv({ device: keyOf, ...viewColumns }, devices),
	browsers: ({ browsers }) => writeCsv({ browser: keyOf, ...viewColumns }, browsers),
	referrers: ({ referrers }) => writeCsv({ referrer: keyOf, ...viewColumns }, referrers),
	players: ({ players }) => writeCsv({ player: keyOf, ...viewColumns }, players),
	renditions: ({ renditions }) => writeCsv({ quality: keyOf, shownMs: ({ ms }) => ms }, renditions),
	errors: ({ errors }) => writeCsv({ error: keyOf, failures: ({ count }) => count }, errors),
	hours: ({ hoursOfDay }) => writeCsv({ hour: ({ hour }) => hour, ...viewColumns }, hoursOfDay),
}

const retentionTable = (retention: AssetAnalytics['retention']): string =>
	writeCsv(
		{ fromMs: ({ fromMs }) => fromMs, share: ({ share }) => share, plays: ({ plays }) => plays },
		bucketsOf(retention),
	)

const videosTable = (videos: AnalyticsOverview['topVideos']): string =>
	writeCsv(
		{
			assetId: ({ assetId }) => assetId,
			title: ({ title }) => title,
			starts: ({ starts }) => starts,
			...viewColumns,
		},
		videos,
	)

const bucketsOf = (retention: AssetAnalytics['retention']) =>
	(retention?.shares ?? []).map((share, bucket) => ({
		fromMs: bucket * (retention?.bucketMs ?? 0),
		share,
		plays: retention?.plays[bucket] ?? 0,
	}))

export const writeAssetTable = (analytics: AssetAnalytics, table: AnalyticsTable): string =>
	table === 'retention' ? retentionTable(analytics.retention) : commonTables[table](analytics)

export const writeOverviewTable = (overview: AnalyticsOverview, table: OverviewTable): string =>
	table === 'videos' ? videosTable(overview.topVideos) : commonTables[table](overview)

/** Names the file of a table by its first and last days. */
export function formatTableName(
	of: string,
	{ from, to }: Pick<AssetAnalytics, 'from' | 'to'>,
	table: AnalyticsTable | OverviewTable,
): string {
	const lastDay = new Date(Date.parse(to) - 1).toISOString()
	return `${of}-${table}-${from.slice(0, 10)}-to-${lastDay.slice(0, 10)}.csv`
}

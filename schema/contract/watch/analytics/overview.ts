import { z } from 'zod'
import { AssetId, data, PlaybackId, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { AssetAnalytics, CommonTable, isInOrder, PeriodQuery, periodFields } from './asset-analytics.ts'

const operation = describeOperations('Analytics')

const change = z.number().nullable().meta({
	description: 'The relative change: 0.5 is an increase by half; null if the total before is 0',
})

export const AnalyticsOverview = AssetAnalytics.omit({ retention: true })
	.extend({
		before: z
			.object({
				from: Timestamp,
				to: Timestamp,
				totals: AssetAnalytics.shape.totals,
				changes: z.object({ starts: change, views: change, watchedMs: change, dailyUniques: change }),
			})
			.meta({ description: 'The period of the same length before, and the changes since then' }),
		topVideos: z
			.array(
				z.object({
					assetId: AssetId,
					playbackId: PlaybackId,
					title: z.string(),
					starts: z.int(),
					views: z.int(),
					watchedMs: z.int(),
				}),
			)
			.meta({ description: 'The 20 videos with the most views' }),
	})
	.meta({ id: 'AnalyticsOverview' })
export type AnalyticsOverview = z.infer<typeof AnalyticsOverview>

export const getAnalyticsOverview = operation({
	id: 'getAnalyticsOverview',
	method: 'get',
	path: '/v1/analytics/overview',
	summary: 'Get the analytics of all videos of the organization',
	description:
		'Returns the fields of `getAssetAnalytics` without `retention`, summed over all videos, with the most watched videos and the changes since the period before. A session counts some minutes after it is over. The totals include deleted videos.',
	auth: 'read',
	impersonation: 'read',
	query: PeriodQuery,
	response: data(AnalyticsOverview),
	errors: ['not_configured'],
})

export const OverviewTable = z.enum([...CommonTable.options, 'videos'])
export type OverviewTable = z.infer<typeof OverviewTable>

export const getAnalyticsOverviewCsv = operation({
	id: 'getAnalyticsOverviewCsv',
	method: 'get',
	path: '/v1/analytics/overview/csv',
	summary: 'Download a table of the overview of the organization',
	description:
		'Returns one table of `getAnalyticsOverview` for the same period as CSV (RFC 4180) with a header line. `videos` has the most watched videos. Text that a spreadsheet would treat as a formula is prefixed with an apostrophe.',
	auth: 'read',
	query: z
		.object({ ...periodFields, of: OverviewTable.default('series') })
		.refine(isInOrder, 'from must be before to'),
	answersWith: 'text/csv; charset=utf-8',
	errors: ['not_configured'],
})

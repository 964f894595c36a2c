import { z } from 'zod'
import { AssetId, data, PlaybackId, Timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'
import { AssetAnalytics, CommonTable, isInOrder, PeriodQuery, periodFields } from './asset-analytics.ts'

const change = z
	.number()
	.nullable()
	.meta({ description: '0.5 is half as much again as before; null if there was nothing before' })

export const AnalyticsOverview = AssetAnalytics.omit({ retention: true })
	.extend({
		before: z
			.object({
				from: Timestamp,
				to: Timestamp,
				totals: AssetAnalytics.shape.totals,
				changes: z.object({ starts: change, views: change, watchedMs: change, dailyUniques: change }),
			})
			.meta({ description: 'The period of the same length before, and the changes since' }),
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
	tag: 'Analytics',
	summary: 'Get how often and how well the videos of the organization were watched',
	description:
		'Returns what the analytics of an asset contain, added up over all videos, with the most watched videos and the changes against the period before. A session counts some minutes after it is over. Deleted videos stay in the totals.',
	auth: 'read',
	query: PeriodQuery,
	status: 200,
	response: data(AnalyticsOverview),
	errors: ['not_configured'],
})

export const OverviewTable = z.enum([...CommonTable.options, 'videos'])
export type OverviewTable = z.infer<typeof OverviewTable>

export const getAnalyticsOverviewCsv = operation({
	id: 'getAnalyticsOverviewCsv',
	method: 'get',
	path: '/v1/analytics/overview/csv',
	tag: 'Analytics',
	summary: 'Download a table of the overview of the organization',
	description:
		'Returns one table of `getAnalyticsOverview` for the same period as CSV (RFC 4180) with a header line. `videos` has the most watched videos. A text that a spreadsheet would take for a formula begins with an apostrophe.',
	auth: 'read',
	query: z
		.object({ ...periodFields, of: OverviewTable.default('series') })
		.refine(isInOrder, 'from must be before to'),
	status: 200,
	answersWith: 'text/csv; charset=utf-8',
	errors: ['not_configured'],
})

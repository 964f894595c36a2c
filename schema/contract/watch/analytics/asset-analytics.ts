import { z } from 'zod'
import { AssetId, data, Instant, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'

const operation = describeOperations('Analytics')

const count = z.int().meta({ description: 'A number of playback sessions' })
const share = z
	.number()
	.nullable()
	.meta({ description: 'From 0 to 1; null if there is nothing to divide by' })
const mean = z.number().nullable()

export const AnalyticsPeriod = z.enum(['24h', '7d', '30d', '90d', 'all'])
export type AnalyticsPeriod = z.infer<typeof AnalyticsPeriod>
export const Granularity = z.enum(['hour', 'day'])
export type Granularity = z.infer<typeof Granularity>

const Part = z.object({ key: z.string(), views: z.int(), watchedMs: z.int() })
const Amount = z.object({ key: z.string(), ms: z.int() })

const Percentiles = z.object({ p50: mean, p75: mean, p95: mean })

export const AssetAnalytics = z
	.object({
		from: Timestamp,
		to: Timestamp,
		granularity: Granularity,
		at: Timestamp.meta({ description: 'When this was computed' }),
		totals: z
			.object({
				attempts: count.meta({ description: 'Sessions that tried to play' }),
				starts: count.meta({ description: 'Sessions that showed a frame' }),
				views: count.meta({
					description: 'Starts that played 3 seconds, or half of a video that is shorter than 6 seconds',
				}),
				engaged: count.meta({ description: 'Views that played 30 seconds or half of the video' }),
				completed: count.meta({ description: 'Views that covered 95 % of the video' }),
				members: count.meta({
					description:
						'Sessions of organization members. Excluded from all other totals here; delivery minutes include them',
				}),
				bots: count.meta({
					description:
						'Sessions of programs. Excluded from all other totals here; delivery minutes include them',
				}),
				crowded: count.meta({
					description:
						'Sessions after the first 300 of one network (an IPv4 address or an IPv6 /64) in an hour of a video. Excluded from all other totals and from the live count, since anybody can make them up',
				}),
				watchedMs: z.int().meta({ description: 'Watch time, stalls included' }),
				playedMs: z.int().meta({ description: 'Video played, repetitions included' }),
				dailyUniques: z.int().meta({
					description:
						"The sum of the visitors of each day. A visitor can't be recognized on another day. Above about 800 visitors a day this is an estimate, accurate to about 3 %",
				}),
				averageShareWatched: share.meta({
					description:
						'The average share of the video that a view covered. Excludes views in players that report no position',
				}),
			})
			.meta({ id: 'AnalyticsTotals' }),
		retention: z
			.object({
				bucketMs: z.int(),
				shares: z.array(z.number()).meta({
					description:
						'For each bucket of the video, the share of the starts that played it. Excludes starts in players that report no position',
				}),
				plays: z.array(z.number()).meta({
					description: 'For each bucket of the video, how often it was played, repetitions included',
				}),
			})
			.nullable()
			.meta({ description: 'At most 1,000 buckets; null if the duration of the video is not known' }),
		series: z.array(
			z.object({ at: Timestamp, starts: z.int(), views: z.int(), watchedMs: z.int(), uniques: z.int() }),
		),
		devices: z.array(Part),
		browsers: z.array(Part),
		countries: z.array(Part),
		referrers: z.array(Part),
		players: z.array(Part),
		hoursOfDay: z
			.array(z.object({ hour: z.int(), views: z.int(), watchedMs: z.int() }))
			.length(24)
			.meta({ description: 'For each hour of the day in UTC (0 to 23), the sessions that began in it' }),
		renditions: z.array(Amount).meta({ description: 'How long each quality was shown' }),
		delivered: z.array(Amount).meta({ description: 'How much video was loaded in each quality' }),
		errors: z.array(z.object({ key: z.string(), count: z.int() })),
		quality: z.object({
			startupMs: Percentiles.meta({
				description: 'Time from the request to play until the first frame, accurate to 2 %',
			}),
			exitsBeforeStart: share.meta({
				description:
					'The share of attempts that the viewer gave up after waiting a second or more for the first frame',
			}),
			failures: share.meta({ description: 'The share of attempts that ended with an error' }),
			startupFailures: share,
			stalled: share.meta({ description: 'The stalled share of the watch time' }),
			stallsPerMinute: mean,
			seekMs: mean.meta({ description: 'Average duration of a seek' }),
			bitrateKbps: mean,
			upscale: mean.meta({
				description: 'Average enlargement of the picture; 1 is twice its size',
			}),
			switchesUp: z.int(),
			switchesDown: z.int(),
			droppedFrames: z.int(),
			scoreModel: z
				.int()
				.meta({ description: 'The version of the formulas of the scores (docs/watch/analytics.md)' }),
			scores: z
				.object({ success: mean, startup: mean, smoothness: mean, quality: mean, overall: mean })
				.meta({ description: 'From 0 to 100, averages over sessions' }),
		}),
	})
	.meta({ id: 'AssetAnalytics' })
export type AssetAnalytics = z.infer<typeof AssetAnalytics>

/** The requested period. */
export const periodFields = {
	period: AnalyticsPeriod.default('30d'),
	from: Instant.optional(),
	to: Instant.optional(),
	granularity: Granularity.optional(),
}
export const isInOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean =>
	from === undefined || to === undefined || Date.parse(from) < Date.parse(to)
export const PeriodQuery = z.object(periodFields).refine(isInOrder, 'from must be before to')

export const getAssetAnalytics = operation({
	id: 'getAssetAnalytics',
	sdk: 'analytics.getOfAsset',
	method: 'get',
	path: '/v1/assets/{assetId}/analytics',
	summary: 'Get the analytics of an asset',
	description:
		'Returns counts, watch time, retention, a time series, and where and how well the video played. A session counts in the hour in which it began. Without `from` and `to`, the period ends now. `granularity` is `hour` for up to two days, and otherwise `day`; days are in UTC. Sums older than two days are stored by day, and those older than 400 days by month, so `from` and `to` are extended to whole days or months there. `all` is everything that was ever counted. Reports appear within 10 seconds, or about 40 seconds while a video has thousands of viewers.',
	auth: 'read',
	impersonation: 'read',
	params: z.object({ assetId: AssetId }),
	query: PeriodQuery,
	response: data(AssetAnalytics),
	errors: ['not_found', 'not_configured'],
})

export const CommonTable = z.enum([
	'series',
	'totals',
	'countries',
	'devices',
	'browsers',
	'referrers',
	'players',
	'renditions',
	'errors',
	'hours',
])
export type CommonTable = z.infer<typeof CommonTable>
export const AnalyticsTable = z.enum([...CommonTable.options, 'retention'])
export type AnalyticsTable = z.infer<typeof AnalyticsTable>

export const getAssetAnalyticsCsv = operation({
	id: 'getAssetAnalyticsCsv',
	sdk: 'analytics.getCsvOfAsset',
	method: 'get',
	path: '/v1/assets/{assetId}/analytics/csv',
	summary: 'Download a table of the analytics of an asset',
	description:
		'Returns one table of `getAssetAnalytics` for the same period as CSV (RFC 4180) with a header line. `hours` has a line for each hour of the day in UTC, and `retention` one for each part of the video. Text that a spreadsheet would treat as a formula is prefixed with an apostrophe.',
	auth: 'read',
	params: z.object({ assetId: AssetId }),
	query: z
		.object({ ...periodFields, of: AnalyticsTable.default('series') })
		.refine(isInOrder, 'from must be before to'),
	answersWith: 'text/csv; charset=utf-8',
	errors: ['not_found', 'not_configured'],
})

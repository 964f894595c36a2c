import { z } from 'zod'
import { AssetId, data, Instant, Timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'

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
		totals: z.object({
			attempts: count.meta({ description: 'Sessions that tried to play' }),
			starts: count.meta({ description: 'Sessions that showed a frame' }),
			views: count.meta({
				description: 'Starts that played 3 seconds, or half of a video that is shorter than 6 seconds',
			}),
			engaged: count.meta({ description: 'Views that played 30 seconds or half of the video' }),
			completed: count.meta({ description: 'Views that covered 95 % of the video' }),
			members: count.meta({
				description: 'Sessions of members of the organization, which are counted nowhere else',
			}),
			bots: count.meta({ description: 'Sessions of programs, which are counted nowhere else' }),
			watchedMs: z.int().meta({ description: 'Time spent, stalls included' }),
			playedMs: z.int().meta({ description: 'Video played, repetitions included' }),
			dailyUniques: z.int().meta({
				description:
					'The sum over days of the visitors of each day. Visitors can’t be recognised on another day. Within 3 % or so for more than 800 a day',
			}),
			averageShareWatched: share.meta({
				description:
					'The share of the video that a view covered, on average. Views in players that report no position are left out',
			}),
		}),
		retention: z
			.object({
				bucketMs: z.int(),
				shares: z.array(z.number()).meta({
					description:
						'For each bucket of the video, the share of the starts that played it. Starts in players that report no position are left out',
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
				description: 'From the request to play until the first frame, within 2 %',
			}),
			exitsBeforeStart: share.meta({
				description:
					'The share of attempts that the viewer gave up after waiting a second or more for the first frame',
			}),
			failures: share.meta({ description: 'The share of attempts that ended with an error' }),
			startupFailures: share,
			stalled: share.meta({ description: 'Stalled time in the time watched' }),
			stallsPerMinute: mean,
			seekMs: mean.meta({ description: 'How long a seek took, on average' }),
			bitrateKbps: mean,
			upscale: mean.meta({
				description: 'How far the picture was enlarged, on average; 1 is twice its size',
			}),
			switchesUp: z.int(),
			switchesDown: z.int(),
			droppedFrames: z.int(),
			scoreModel: z
				.int()
				.meta({ description: 'The version of the formulas of the scores (docs/analytics.md)' }),
			scores: z
				.object({ success: mean, startup: mean, smoothness: mean, quality: mean, overall: mean })
				.meta({ description: 'From 0 to 100, averages over sessions' }),
		}),
	})
	.meta({ id: 'AssetAnalytics' })
export type AssetAnalytics = z.infer<typeof AssetAnalytics>

/** Which time an answer is about. */
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
	method: 'get',
	path: '/v1/assets/{assetId}/analytics',
	tag: 'Analytics',
	summary: 'Get how often and how well an asset was watched',
	description:
		'Returns counts, watch time, retention, a time series, and where and how well the video played. A session counts in the hour in which it began. Without `from` and `to`, the period ends now. `granularity` is `hour` for up to two days, and otherwise `day`; days are in UTC. What is older than two days is kept by day, and what is older than 400 days by month, so `from` and `to` become the start and the end of such a part. `all` is everything that was ever counted. What players reported is included at once.',
	auth: 'read',
	params: z.object({ assetId: AssetId }),
	query: PeriodQuery,
	status: 200,
	response: data(AssetAnalytics),
	errors: ['not_found', 'not_configured'],
})

export const CommonTable = z.enum([
	'series',
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
	method: 'get',
	path: '/v1/assets/{assetId}/analytics/csv',
	tag: 'Analytics',
	summary: 'Download a table of the analytics of an asset',
	description:
		'Returns one table of `getAssetAnalytics` for the same period as CSV (RFC 4180) with a header line. `hours` has a line for each hour of the day in UTC, and `retention` one for each part of the video. A text that a spreadsheet would take for a formula begins with an apostrophe.',
	auth: 'read',
	params: z.object({ assetId: AssetId }),
	query: z
		.object({ ...periodFields, of: AnalyticsTable.default('series') })
		.refine(isInOrder, 'from must be before to'),
	status: 200,
	answersWith: 'text/csv; charset=utf-8',
	errors: ['not_found', 'not_configured'],
})

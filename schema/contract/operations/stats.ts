import { z } from 'zod'
import { data, MachineId, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { AssetStatus } from '../video/assets.ts'

const operation = describeOperations('Diagnostics')
const Count = z.int().nonnegative()
const Speed = z
	.number()
	.nonnegative()
	.nullable()
	.meta({ description: 'Seconds of video processed per second of work; null if nothing was processed' })

const encoded = {
	encodeMinutes24h: z
		.number()
		.nonnegative()
		.meta({ description: 'Minutes of video that were encoded, counted once for each codec' }),
	realTimeFactor: Speed.meta({ description: 'Seconds of video encoded per second of encoding' }),
	costPerEncodeMinute: z.number().nonnegative().nullable().meta({
		description:
			'From the hourly prices of machines and the time in which they worked; null without a price or encoded video',
	}),
}

export const FleetStats = z
	.object({
		jobs: z.object({
			queued: Count,
			processing: Count,
			completed24h: Count,
			failed24h: Count,
		}),
		tasks: z.object({
			queued: Count,
			running: Count,
			done24h: Count,
			failures24h: Count,
			expiredLeases24h: Count,
			byKind: z.array(z.object({ kind: z.string(), queued: Count, running: Count })),
		}),
		oldestQueuedAt: Timestamp.nullable(),
		oldestQueuedAgeSec: z.number().nonnegative().nullable(),
		mediaSec24h: z.number().nonnegative(),
		speed: Speed,
		...encoded,
		failuresByReason24h: z.array(z.object({ reason: z.string(), count: Count })),
	})
	.meta({ id: 'FleetStats' })

export const getFleetStats = operation({
	id: 'getFleetStats',
	method: 'get',
	path: '/v1/stats/fleet',
	summary: 'Get the queue of the fleet and its work in the last 24 hours',
	auth: 'superadmin',
	response: data(FleetStats),
})

export const getWorkerStats = operation({
	id: 'getWorkerStats',
	method: 'get',
	path: '/v1/stats/workers',
	summary: 'List the work of each machine in the last 24 hours',
	auth: 'superadmin',
	response: data(
		z.array(
			z
				.object({
					id: MachineId,
					name: z.string().nullable().meta({ description: 'null for a machine that was deleted' }),
					running: Count,
					done24h: Count,
					failures24h: Count,
					workSec24h: z.number().nonnegative(),
					mediaSec24h: z.number().nonnegative(),
					speed: Speed,
					busySec24h: z
						.number()
						.nonnegative()
						.meta({ description: 'How long at least one task ran that was then completed' }),
					hourlyPrice: z.number().nonnegative().nullable(),
					...encoded,
				})
				.meta({ id: 'WorkerStats' }),
		),
	),
})

export const AiStats = z
	.object({
		providers: z.array(
			z.object({
				provider: z.string(),
				purpose: z.enum(['transcription', 'language-model']),
				calls24h: Count,
				open: Count.meta({ description: 'Calls whose result is not known yet' }),
				failures24h: Count,
				audioSec24h: z.number().nonnegative(),
				tokens24h: Count,
				costMicros24h: Count.meta({
					description: 'Millionths of a dollar; calls without a known price count as 0',
				}),
				latencyMs: z.object({ p50: Count.nullable(), p95: Count.nullable() }),
				queueAgeSec: z
					.number()
					.nonnegative()
					.nullable()
					.meta({ description: 'How long the oldest chunk of a video waits for a call; null if none does' }),
			}),
		),
		oldestOpenAgeSec: z.number().nonnegative().nullable(),
	})
	.meta({ id: 'AiStats', description: 'Calls of providers for AI in the last 24 hours' })
export type AiStats = z.infer<typeof AiStats>

export const getAiStats = operation({
	id: 'getAiStats',
	method: 'get',
	path: '/v1/stats/ai',
	summary: 'Get the calls of each provider for AI in the last 24 hours',
	auth: 'superadmin',
	response: data(AiStats),
})

export const InstallationStats = z
	.object({
		measuredAt: Timestamp,
		organizations: Count,
		users: Count,
		assets: z.object({ total: Count, byStatus: z.record(AssetStatus, Count) }),
		storage: z.object({ sourceBytes: Count, mediaBytes: Count }),
		videoMinutes: z.number().nonnegative(),
	})
	.meta({ id: 'InstallationStats' })

export const getInstallationStats = operation({
	id: 'getInstallationStats',
	method: 'get',
	path: '/v1/stats/installation',
	summary: 'Get the totals of the installation',
	description:
		'Organizations, people, videos and storage, counted each hour. Videos in the trash count only as storage. `data` is null until they were counted for the first time.',
	auth: 'superadmin',
	response: data(InstallationStats.nullable()),
})

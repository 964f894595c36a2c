import { z } from 'zod'
import { AssetId, data, JobId, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { AssetParams, AssetStatus } from '../assets.ts'

const operation = describeOperations('Assets')

export const SpanKind = z.enum([
	...(['upload', 'processing', 'wait', 'prepare', 'encode', 'publish', 'extras'] as const),
	...(['tasks', 'task', 'attempt', 'ai-step'] as const),
])
export type SpanKind = z.infer<typeof SpanKind>

export const SpanOutcome = z.enum(['waiting', 'running', 'done', 'failed', 'lost', 'cancelled', 'skipped'])
export type SpanOutcome = z.infer<typeof SpanOutcome>

const Span = z
	.object({
		id: z.string(),
		parentId: z.string().nullable().meta({
			description:
				'The id of the span that contains this one; null for the upload, processings, and what AI steps need',
		}),
		kind: SpanKind,
		outcome: SpanOutcome.meta({ description: '`lost`: the machine stopped responding' }),
		text: z.string().meta({ description: 'A sentence about the span' }),
		startedAt: Timestamp.nullable().meta({ description: 'null if unknown' }),
		endedAt: Timestamp.nullable().meta({ description: 'null while it lasts' }),
		durationSec: z.number().nonnegative().nullable(),
	})
	.meta({ id: 'Span' })

export const AssetTimeline = z
	.object({
		assetId: AssetId,
		status: AssetStatus,
		summary: z.string().meta({ description: 'Where the time went, in a sentence or two' }),
		traces: z
			.array(z.object({ jobId: JobId, traceId: z.string().nullable() }))
			.meta({ description: 'The W3C trace of each processing, which the logs name as well' }),
		spans: z.array(Span).max(500),
		isComplete: z
			.boolean()
			.meta({ description: 'false if there are more tasks than those shown, which took the longest' }),
	})
	.meta({ id: 'AssetTimeline' })

export const getAssetTimeline = operation({
	id: 'getAssetTimeline',
	method: 'get',
	path: '/v1/assets/{assetId}/timeline',
	summary: 'Get where the time of an asset went',
	description:
		'Spans of the upload, the latest five processings with their tasks and attempts, and the AI steps, each with a sentence. Tasks are kept for 30 days, and earlier processings until the next one is published.',
	auth: 'read',
	impersonation: 'read',
	params: AssetParams,
	response: data(AssetTimeline),
	errors: ['not_found'],
})

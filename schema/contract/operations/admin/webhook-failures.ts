import { z } from 'zod'
import { data, Instant, OrgId, Timestamp, WebhookEndpointId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { MAX_COUNTED } from './limits.ts'

const operation = describeOperations('Operators')

export const WebhookFailure = z
	.object({
		endpointId: WebhookEndpointId,
		orgId: OrgId,
		origin: z.string().meta({ description: 'Of the URL, whose path and query may be secret' }),
		status: z.enum(['enabled', 'paused', 'disabled']),
		statusReason: z.string().nullable(),
		failures: z.int().nonnegative().meta({ description: 'Failed attempts since the last success' }),
		failedDeliveries: z
			.int()
			.nonnegative()
			.meta({ description: `At most ${MAX_COUNTED}` }),
		pendingDeliveries: z
			.int()
			.nonnegative()
			.meta({ description: `At most ${MAX_COUNTED}` }),
		failingSince: Timestamp,
		lastSuccessAt: Timestamp.nullable(),
		lastFailureAt: Timestamp.nullable(),
		nextAttemptAt: Timestamp.nullable(),
	})
	.meta({ id: 'WebhookFailure' })
export type WebhookFailure = z.infer<typeof WebhookFailure>

export const listWebhookFailures = operation({
	id: 'listWebhookFailures',
	method: 'get',
	path: '/v1/admin/webhook-failures',
	summary: 'List the webhook endpoints that fail, the newest failure first',
	auth: 'superadmin',
	query: PageQuery,
	paged: true,
	response: dataPage(WebhookFailure),
})

export const recoverWebhookFailures = operation({
	id: 'recoverWebhookFailures',
	method: 'post',
	path: '/v1/admin/webhook-failures/{endpointId}/recover',
	summary: 'Deliver again what an endpoint missed',
	description:
		'Since `since`, or since the endpoint fails: 500 events in one call, at most as many requests at a time as the endpoint allows. A disabled endpoint must be enabled with `enable`. If `next` is not null, repeat the call with it as `after`, and with the `since` of the response.',
	auth: 'superadmin',
	audit: 'webhook.recovered',
	params: z.object({ endpointId: WebhookEndpointId }),
	body: z.object({
		since: Instant.optional(),
		after: z.int().min(0).default(0),
		enable: z.boolean().default(false),
	}),
	status: 202,
	response: data(z.object({ deliveries: z.int(), since: Timestamp, next: z.int().nullable() })),
	errors: ['conflict'],
})

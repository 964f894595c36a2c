import { z } from 'zod'
import { data, Instant, queryInt, Timestamp, WebhookEndpointId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { adminEventTypes, EventEnvelope, EventId, PublicEventType } from '../../public-events.ts'
import { OrgParams, webhooksTag } from './endpoints.ts'

const operation = describeOperations(webhooksTag)
const EventParams = OrgParams.extend({ eventId: EventId })

const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']).meta({
	description: '`failed` after the last attempt: nothing more is sent unless you retry',
})

const delivery = {
	eventId: EventId,
	endpointId: WebhookEndpointId,
	type: PublicEventType,
	sequence: z.int(),
	status: DeliveryStatus,
	attempts: z.int(),
	lastStatus: z
		.int()
		.nullable()
		.meta({ description: 'The status of the last response; null if there was none' }),
	nextAttemptAt: Timestamp.nullable().meta({
		description:
			'When the delivery is due. The endpoint may hold it back for longer: see its own `nextAttemptAt`',
	}),
	createdAt: Timestamp,
	endedAt: Timestamp.nullable(),
}

export const WebhookDelivery = z.object(delivery).meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

const Attempt = z
	.object({
		number: z.int(),
		url: z.string().meta({ description: 'The URL to which the request was sent' }),
		payload: z.enum(['full', 'thin']).meta({
			description: 'The body was `event`, with only ids in its `data` if `thin`',
		}),
		startedAt: Timestamp,
		durationMs: z.int(),
		status: z.int().nullable(),
		problem: z.string().nullable().meta({ description: 'Why the attempt failed; null if it succeeded' }),
		responseText: z.string().nullable().meta({ description: 'The first KB of the response body' }),
	})
	.meta({ id: 'WebhookAttempt' })

export const listWebhookEvents = operation({
	id: 'listWebhookEvents',
	method: 'get',
	path: '/v1/orgs/{orgId}/webhooks/events',
	summary: 'List the webhook deliveries of an organization, newest event first',
	description: 'One entry per event and endpoint, kept for 30 days after it was planned.',
	auth: 'admin',
	impersonation: 'read',
	params: OrgParams,
	query: PageQuery.extend({
		type: PublicEventType.optional(),
		status: DeliveryStatus.optional(),
		endpointId: WebhookEndpointId.optional(),
		since: Instant.optional(),
		until: Instant.optional(),
	}),
	paged: true,
	response: dataPage(WebhookDelivery),
	errors: ['not_found'],
})

export const getWebhookEvent = operation({
	id: 'getWebhookEvent',
	method: 'get',
	path: '/v1/orgs/{orgId}/webhooks/events/{eventId}',
	summary: 'Get an event with its deliveries and their attempts',
	auth: 'admin',
	params: EventParams,
	response: data(
		z.object({
			event: EventEnvelope,
			deliveries: z.array(
				WebhookDelivery.extend({ attemptLog: z.array(Attempt) }).meta({ id: 'WebhookDeliveryLog' }),
			),
		}),
	),
	errors: ['not_found'],
})

export const retryWebhookEvent = operation({
	id: 'retryWebhookEvent',
	method: 'post',
	path: '/v1/orgs/{orgId}/webhooks/events/{eventId}/retry',
	summary: 'Deliver an event again, with the same webhook-id',
	description: 'To one endpoint, or without `endpointId` to every endpoint that the event was meant for.',
	auth: 'admin',
	openToKeys: 'repeats a delivery to an address of the organization',
	audit: 'none: work',
	impersonation: 'write',
	params: EventParams,
	body: z.object({ endpointId: WebhookEndpointId.optional() }),
	bodyOptional: true,
	status: 202,
	response: data(z.array(WebhookDelivery)),
	errors: ['not_found', 'conflict'],
})

export const recoverWebhookEvents = operation({
	id: 'recoverWebhookEvents',
	method: 'post',
	path: '/v1/orgs/{orgId}/webhooks/recover',
	summary: 'Deliver the events of a period again',
	description:
		'`failed` sends what was never delivered to an endpoint, including events of the time in which it was disabled; `all` also repeats what was delivered. Receivers recognize repetitions by `webhook-id`. Covers the last 30 days, 500 events in one call. If there may be more, `next` is a number: repeat the call with it as `after`.',
	auth: 'admin',
	openToKeys: 'repeats deliveries to addresses of the organization',
	audit: 'none: work',
	impersonation: 'write',
	params: OrgParams,
	body: z.object({
		after: z.int().min(0).default(0).meta({ description: '`next` of the previous call' }),
		since: Instant,
		until: Instant.optional(),
		types: z.array(PublicEventType).min(1).optional(),
		only: z.enum(['failed', 'all']).default('failed'),
		endpointId: WebhookEndpointId.optional(),
	}),
	status: 202,
	response: data(z.object({ deliveries: z.int(), next: z.int().nullable() })),
	errors: ['not_found'],
})

export const readEvents = operation({
	id: 'readEvents',
	method: 'get',
	path: '/v1/events',
	tag: 'Events',
	summary: 'Read the events of the organization in order',
	description: `Returns events after a sequence, oldest first, from the last 30 days. With \`wait\`, a response without events is delayed until one happens or the time is over. An organization may wait in 20 requests at a time; a further one gets 429. Store \`next\`, and pass it as \`after\` in the next call. A receiver that misses nothing needs no webhook. Members without the role admin and keys without the scope \`admin\` don't get ${adminEventTypes.map((type) => `\`${type}\``).join(', ')}: these are left out, and asking for one by \`types\` gets 403. Sequences have gaps then.`,
	auth: 'read',
	query: z.object({
		after: z
			.string()
			.regex(/^\d{1,15}$/, 'must be a whole number')
			.transform(Number)
			.pipe(z.int())
			.default(0)
			.meta({ description: 'The sequence of the last event that was read; 0 starts with the oldest one' }),
		types: z
			.string()
			.max(500)
			.transform((text) => text.split(','))
			.pipe(z.array(PublicEventType).min(1))
			.optional()
			.meta({ description: 'Event types, comma-separated' }),
		limit: queryInt(1, 200, 100),
		wait: queryInt(0, 25, 0).meta({ description: 'Seconds to wait for an event, at most 25' }),
	}),
	response: z.object({
		data: z.array(EventEnvelope),
		next: z.int().meta({ description: 'The value of `after` for the next call' }),
	}),
})

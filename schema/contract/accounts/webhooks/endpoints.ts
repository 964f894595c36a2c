import { z } from 'zod'
import { data, OrgId, Timestamp, WebhookEndpointId } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { PublicEventType } from '../../public-events.ts'

export const webhooksTag = 'Webhooks'
const operation = describeOperations(webhooksTag)
export const OrgParams = z.object({ orgId: OrgId })
export const EndpointParams = OrgParams.extend({ endpointId: WebhookEndpointId })

export const MAX_ENDPOINTS = 10
const MAX_IN_FLIGHT = 20

export const MAX_URL_LENGTH = 2_048

/** edge/accounts/webhooks/endpoints/endpoint-url.ts checks the rest, because the rules depend on the installation. */
export const WebhookUrl = z
	.url({ protocol: /^https?$/ })
	.max(MAX_URL_LENGTH)
	.refine((text) => !/[\p{Cc}\s]/u.test(text), 'must not contain spaces or control characters')
	.meta({
		description:
			'An https URL on port 443 or 8443 of a public host outside this installation, without a user name. Operators may allow more',
	})

const options = {
	url: WebhookUrl,
	types: z
		.array(PublicEventType)
		.min(1)
		.refine((types) => new Set(types).size === types.length, 'must not repeat a type')
		.nullable()
		.meta({ description: 'The event types to deliver; null for all, including types that are added later' }),
	payload: z
		.enum(['full', 'thin'])
		.meta({ description: '`thin` delivers only ids in `data`; fetch the rest from the API' }),
	order: z.enum(['none', 'resource']).meta({
		description:
			'`resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good',
	}),
	maxInFlight: z.int().min(1).max(MAX_IN_FLIGHT).meta({ description: 'How many requests may run at a time' }),
}
const defaults = {
	types: options.types.default(null),
	payload: options.payload.default('full'),
	order: options.order.default('none'),
	maxInFlight: options.maxInFlight.default(5),
}
/** `disabled` is set by the service, so callers can't request it. */
const RequestedStatus = z.enum(['enabled', 'paused'])

export const WebhookEndpoint = z
	.object({
		id: WebhookEndpointId,
		...options,
		url: z.string(),
		status: z.enum(['enabled', 'paused', 'disabled']).meta({
			description:
				'`paused` by you: events wait. `disabled` by the service or the receiver: events are not delivered; see `statusReason`',
		}),
		statusReason: z.string().nullable(),
		isDefault: z.boolean().meta({ description: 'Whether this is the endpoint of `/webhooks/config`' }),
		failingSince: Timestamp.nullable(),
		lastSuccessAt: Timestamp.nullable(),
		lastFailureAt: Timestamp.nullable(),
		nextAttemptAt: Timestamp.nullable().meta({
			description: 'Set while deliveries are held back because the endpoint fails or asked for a break',
		}),
		previousSecretEndsAt: Timestamp.nullable().meta({
			description: 'Until then, the former secret signs as well',
		}),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'WebhookEndpoint' })
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

const secret = z
	.string()
	.meta({ description: 'The signing secret, shown only here: `whsec_` and base64, as in Standard Webhooks' })
export const EndpointWithSecret = WebhookEndpoint.extend({ secret }).meta({ id: 'WebhookEndpointWithSecret' })

const patch = { ...options, status: RequestedStatus }
export const EndpointPatch = z
	.object(patch)
	.partial()
	.refine((fields) => Object.keys(fields).length > 0, 'must change at least one field')

export const TestResult = z
	.object({
		delivered: z.boolean().meta({ description: 'Whether the receiver returned a status from 200 to 299' }),
		status: z.int().nullable(),
		durationMs: z.int(),
		problem: z.string().nullable(),
		responseText: z.string().nullable().meta({ description: 'The first KB of the response body' }),
	})
	.meta({ id: 'WebhookTestResult' })

export const getWebhookConfig = operation({
	id: 'getWebhookConfig',
	method: 'get',
	path: '/v1/orgs/{orgId}/webhooks/config',
	summary: 'Get the default webhook endpoint of an organization',
	description: 'Returns null if the organization has none.',
	auth: 'admin',
	params: OrgParams,
	response: data(WebhookEndpoint.nullable()),
	errors: ['not_found'],
})

export const updateWebhookConfig = operation({
	id: 'updateWebhookConfig',
	method: 'patch',
	path: '/v1/orgs/{orgId}/webhooks/config',
	summary: 'Create or update the default webhook endpoint of an organization',
	description:
		'The first call needs `url`. Its response contains the signing secret, which no later one shows. `url: null` deletes the endpoint. The `webhookUrl` of the organization is the same URL.',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: ['webhook.created', 'webhook.updated', 'webhook.deleted'],
	params: OrgParams,
	body: z
		.object({ ...patch, url: WebhookUrl.nullable() })
		.partial()
		.refine((fields) => Object.keys(fields).length > 0, 'must change at least one field'),
	response: data(WebhookEndpoint.extend({ secret: secret.optional() }).nullable()),
	errors: ['not_found', 'conflict', 'not_configured'],
})

export const testWebhookConfig = operation({
	id: 'testWebhookConfig',
	method: 'post',
	path: '/v1/orgs/{orgId}/webhooks/config/test',
	summary: 'Send a test event to the default webhook endpoint',
	description:
		'Sends `webhook.test` at once and returns what the receiver responded. At most one test per second and endpoint. A test is not part of the delivery log, and does not change the state of the endpoint.',
	auth: 'admin',
	openToKeys: 'sends a test',
	audit: 'none: work',
	params: OrgParams,
	response: data(TestResult),
	errors: ['not_found', 'not_configured'],
})

export const listWebhookEndpoints = operation({
	id: 'listWebhookEndpoints',
	method: 'get',
	path: '/v1/orgs/{orgId}/webhooks/endpoints',
	summary: 'List the webhook endpoints of an organization, oldest first',
	auth: 'admin',
	params: OrgParams,
	response: data(z.array(WebhookEndpoint)),
	errors: ['not_found'],
})

export const createWebhookEndpoint = operation({
	id: 'createWebhookEndpoint',
	method: 'post',
	path: '/v1/orgs/{orgId}/webhooks/endpoints',
	summary: 'Create a webhook endpoint',
	description: `An organization has at most ${MAX_ENDPOINTS} endpoints. Events from now on are delivered to it; \`POST …/webhooks/recover\` sends earlier ones.`,
	auth: 'admin',
	openToKeys: 'creates something new',
	audit: 'webhook.created',
	params: OrgParams,
	body: z.object({ url: WebhookUrl, ...defaults }),
	status: 201,
	response: data(EndpointWithSecret),
	errors: ['not_found', 'conflict', 'not_configured'],
})

export const getWebhookEndpoint = operation({
	id: 'getWebhookEndpoint',
	method: 'get',
	path: '/v1/orgs/{orgId}/webhooks/endpoints/{endpointId}',
	summary: 'Get a webhook endpoint',
	auth: 'admin',
	params: EndpointParams,
	...returnsEtag,
	response: data(WebhookEndpoint),
	errors: ['not_found'],
})

export const updateWebhookEndpoint = operation({
	id: 'updateWebhookEndpoint',
	method: 'patch',
	path: '/v1/orgs/{orgId}/webhooks/endpoints/{endpointId}',
	summary: 'Update a webhook endpoint',
	description:
		'`status: enabled` switches a disabled endpoint on again. Events of the time in which it was disabled are sent by `POST …/webhooks/recover`.',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: 'webhook.updated',
	params: EndpointParams,
	...takesIfMatch,
	body: EndpointPatch,
	response: data(WebhookEndpoint),
	errors: ['not_found'],
})

export const deleteWebhookEndpoint = operation({
	id: 'deleteWebhookEndpoint',
	method: 'delete',
	path: '/v1/orgs/{orgId}/webhooks/endpoints/{endpointId}',
	summary: 'Delete a webhook endpoint with its delivery log',
	auth: 'admin',
	openToKeys: 'stops deliveries; another endpoint can recover the events',
	audit: 'webhook.deleted',
	params: EndpointParams,
	response: data(z.object({ id: WebhookEndpointId, deleted: z.literal(true) })),
	errors: ['not_found'],
})

export const rotateWebhookSecret = operation({
	id: 'rotateWebhookSecret',
	sdk: 'webhooks.endpoints.rotateSecret',
	method: 'post',
	path: '/v1/orgs/{orgId}/webhooks/endpoints/{endpointId}/rotate-secret',
	summary: 'Replace the signing secret of a webhook endpoint',
	description:
		'For 24 hours both secrets sign each delivery. Another rotation in that time would end the secret that receivers still use, so it returns 409 unless `force` is true.',
	auth: 'admin',
	openToKeys: 'the former secret remains valid for a day',
	audit: 'webhook.secret_rotated',
	params: EndpointParams,
	body: z.object({ force: z.boolean().default(false) }),
	bodyOptional: true,
	response: data(EndpointWithSecret),
	errors: ['not_found', 'conflict', 'not_configured'],
})

export const testWebhookEndpoint = operation({
	id: 'testWebhookEndpoint',
	method: 'post',
	path: '/v1/orgs/{orgId}/webhooks/endpoints/{endpointId}/test',
	summary: 'Send a test event to a webhook endpoint',
	description: 'As `POST …/webhooks/config/test`.',
	auth: 'admin',
	openToKeys: 'sends a test',
	audit: 'none: work',
	params: EndpointParams,
	response: data(TestResult),
	errors: ['not_found', 'not_configured'],
})

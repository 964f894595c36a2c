import { z } from 'zod'
import { openByRfc6749 } from '../kit/bodies/open-bodies.ts'
import { data, Line, OrgId, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { ApiScope } from './roles.ts'
import { Place } from './sessions.ts'

const operation = describeOperations('Auth')

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const ClientId = Line.min(1)
	.max(100)
	.meta({ description: 'The name of the program, shown to the person', examples: ['playhouse-cli'] })
const Scopes = z.array(ApiScope)

export const startDeviceRequest = operation({
	id: 'startDeviceRequest',
	method: 'post',
	path: '/v1/auth/device',
	summary: 'Ask for an API key on behalf of the person at this device (RFC 8628)',
	description:
		'Show `verification_uri` and `user_code` to the person, or `verification_uri_complete` as a QR code. They sign in there, see what is asked for, and choose the organization and the scopes. Meanwhile, ask for the key every `interval` seconds.',
	auth: 'public',
	audit: 'none: short-lived token',
	idempotencyKey: { unkept: 'each device gets codes of its own' },
	openBody: openByRfc6749,
	shield: 'credentials',
	formBody: true,
	body: z.object({
		client_id: ClientId,
		scope: z
			.string()
			.max(200)
			.default('read write')
			.meta({ description: 'Scopes of API keys, separated by spaces', examples: ['read write'] }),
		device_name: Line.min(1)
			.max(100)
			.optional()
			.meta({ description: 'The name of this machine, and of the key; `client_id` if left out' }),
	}),
	response: z
		.object({
			device_code: z.string().meta({ description: 'A secret of the program, for the next operation' }),
			user_code: z.string().meta({ examples: ['BCDF-GHJK'] }),
			verification_uri: z.string(),
			verification_uri_complete: z.string(),
			expires_in: z.int().meta({ description: 'Seconds' }),
			interval: z.int().meta({ description: 'Seconds between two attempts to get the key' }),
		})
		.meta({ id: 'DeviceRequestStarted' }),
	errors: ['invalid_scope', 'too_many_requests', 'not_configured'],
})

export const pollDeviceToken = operation({
	id: 'pollDeviceToken',
	sdk: 'deviceRequests.poll',
	method: 'post',
	path: '/v1/auth/device/token',
	summary: 'Get the API key that a person has approved (RFC 8628)',
	description:
		'Returns 400 with `error`: `authorization_pending` until the person decides; `slow_down` if the program asks too often, which adds 5 seconds to the interval; `access_denied` if the person refused, or may no longer create keys; `expired_token` after 10 minutes. The key is returned once; the name of the key is that of the device.',
	auth: 'public',
	audit: 'api_key.created',
	idempotencyKey: { unkept: 'a device code works once, and each answer is only true for its moment' },
	openBody: openByRfc6749,
	shield: 'public-write',
	formBody: true,
	body: z.object({
		grant_type: z
			.string()
			.max(200)
			.meta({ examples: [DEVICE_GRANT] }),
		device_code: z.string().max(200),
		client_id: ClientId,
	}),
	response: z
		.object({
			access_token: z.string().meta({ description: 'The API key' }),
			token_type: z.literal('Bearer'),
			scope: z.string().meta({ description: 'The granted scopes, which may be fewer than requested' }),
			org_id: OrgId,
		})
		.meta({ id: 'DeviceToken' }),
	errors: [
		'authorization_pending',
		'slow_down',
		'access_denied',
		'expired_token',
		'invalid_grant',
		'unsupported_grant_type',
		'not_configured',
	],
})

const UserCode = z
	.string()
	.min(1)
	.max(40)
	.meta({ description: 'Upper and lower case, spaces and hyphens do not matter' })

export const DeviceRequest = z
	.object({
		clientId: z.string(),
		deviceName: z.string(),
		scopes: Scopes,
		place: Place,
		sameNetwork: z.boolean().nullable().meta({
			description:
				"Whether the device asked from the network of the person who looks it up; null if the installation can't know. Equal networks prove nothing: many people share one.",
		}),
		createdAt: Timestamp,
		expiresAt: Timestamp,
	})
	.meta({ id: 'DeviceRequest' })
export type DeviceRequest = z.infer<typeof DeviceRequest>

export const findDeviceRequest = operation({
	id: 'findDeviceRequest',
	method: 'post',
	path: '/v1/auth/device/lookup',
	summary: 'Look up what a device asks for, by the code that it shows',
	description: 'After five wrong codes, a user waits for up to 10 minutes.',
	auth: 'session',
	audit: 'none: short-lived token',
	shield: 'credentials',
	body: z.object({ userCode: UserCode }),
	response: data(DeviceRequest),
	errors: ['not_found', 'not_configured'],
})

export const denyDeviceRequest = operation({
	id: 'denyDeviceRequest',
	method: 'post',
	path: '/v1/auth/device/deny',
	summary: 'Refuse what a device asks for',
	auth: 'session',
	audit: 'none: short-lived token',
	shield: 'credentials',
	body: z.object({ userCode: UserCode }),
	response: data(z.object({ denied: z.literal(true) })),
	errors: ['not_found', 'not_configured'],
})

export const approveDeviceRequest = operation({
	id: 'approveDeviceRequest',
	method: 'post',
	path: '/v1/orgs/{orgId}/device-approvals',
	tag: 'Organizations',
	summary: 'Give a device an API key of the organization',
	description:
		'`scopes` may be fewer than the device asks for. The device gets the key with its next attempt, while the user is still an owner or admin and has not changed their password. With the setting `recentProofForApiKeys` of the organization, returns 403 `reauthentication_required` without a recent proof.',
	auth: 'org-admin-person',
	audit: 'device.approved',
	shield: 'credentials',
	params: z.object({ orgId: OrgId }),
	body: z.object({
		userCode: UserCode,
		scopes: Scopes.min(1)
			.max(4)
			.transform((scopes) => [...new Set(scopes)]),
	}),
	response: data(z.object({ deviceName: z.string(), scopes: Scopes })),
	errors: ['not_found', 'plan_limit', 'not_configured', 'reauthentication_required'],
})

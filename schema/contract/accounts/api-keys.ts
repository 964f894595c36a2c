import { z } from 'zod'
import { ApiKeyId, data, Instant, Line, Timestamp, UserId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { dataPage, PageQuery } from '../kit/page.ts'
import { OrgParams } from './orgs.ts'
import { ApiScope } from './roles.ts'

const operation = describeOperations('Organizations')

export const ApiKey = z
	.object({
		id: ApiKeyId,
		name: z.string(),
		prefix: z.string().meta({ description: 'The first characters of the key, to recognize it by' }),
		lastFour: z.string(),
		scopes: z.array(ApiScope),
		createdBy: z.object({ id: UserId, name: z.string() }).nullable().meta({
			description: 'The user who created the key; null if that user was deleted, and the key no longer works',
		}),
		createdAt: Timestamp,
		expiresAt: Timestamp.nullable(),
		lastUsedAt: Timestamp.nullable().meta({ description: 'Accurate to five minutes' }),
	})
	.meta({ id: 'ApiKey' })

export const listApiKeys = operation({
	id: 'listApiKeys',
	method: 'get',
	path: '/v1/orgs/{orgId}/api-keys',
	summary: 'List the API keys of an organization, newest first',
	description: 'The keys themselves are never returned.',
	auth: 'org-admin-person',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	response: dataPage(ApiKey),
	errors: ['not_found'],
})

export const createApiKey = operation({
	id: 'createApiKey',
	method: 'post',
	path: '/v1/orgs/{orgId}/api-keys',
	summary: 'Create an API key',
	description:
		'`key` is returned only once. The key works while the user who created it is an owner or admin of the organization. With the setting `recentProofForApiKeys` of the organization, returns 403 `reauthentication_required` without a recent proof.',
	auth: 'org-admin-person',
	audit: 'api_key.created',
	params: OrgParams,
	body: z.object({
		name: Line.min(1).max(100),
		scopes: z
			.array(ApiScope)
			.min(1)
			.max(ApiScope.options.length)
			.default(['read', 'write'])
			.transform((scopes) => [...new Set(scopes)]),
		expiresAt: Instant.nullable().default(null),
	}),
	status: 201,
	response: data(ApiKey.extend({ key: z.string() }).meta({ id: 'NewApiKey' })),
	errors: ['not_found', 'plan_limit', 'reauthentication_required'],
})

export const deleteApiKey = operation({
	id: 'deleteApiKey',
	method: 'delete',
	path: '/v1/orgs/{orgId}/api-keys/{keyId}',
	summary: 'Delete an API key, which stops working at once',
	auth: 'org-admin-person',
	audit: 'api_key.deleted',
	params: OrgParams.extend({ keyId: ApiKeyId }),
	response: data(z.object({ id: ApiKeyId, deleted: z.literal(true) })),
	errors: ['not_found'],
})

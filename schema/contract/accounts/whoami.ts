import { z } from 'zod'
import { ApiKeyId, data, OrgId, Timestamp, UserId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { ApiScope, OrgRole } from './roles.ts'

const operation = describeOperations('Auth')

export const Identity = z
	.object({
		kind: z.enum(['session', 'key']),
		org: z.object({ id: OrgId, slug: z.string(), name: z.string() }).meta({ id: 'IdentityOrg' }),
		key: z
			.object({ id: ApiKeyId, name: z.string(), scopes: z.array(ApiScope) })
			.nullable()
			.meta({ description: 'The API key; null for a session' }),
		user: z
			.object({ id: UserId, email: z.string(), name: z.string(), role: OrgRole })
			.nullable()
			.meta({ description: 'The signed-in user and the role in the organization; null for an API key' }),
		expiresAt: Timestamp.nullable().meta({
			description: 'When the API key or the session expires; null for a key without an expiry',
		}),
	})
	.meta({ id: 'Identity' })
export type Identity = z.infer<typeof Identity>

export const whoAmI = operation({
	id: 'whoAmI',
	method: 'get',
	path: '/v1/auth/whoami',
	summary: 'Show whose credential this is: organization, scopes and expiry',
	description:
		'Works while the organization is suspended. A session without an organization gets 403; GET /v1/auth/me shows its user.',
	auth: 'read',
	keyScope: 'any',
	impersonation: 'read',
	whenSuspended: 'open',
	response: data(Identity),
})

import { z } from 'zod'
import { data } from '../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../kit/headers/entity-tag.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Settings')

const policy = {
	requireSecondFactor: z.boolean().meta({
		description:
			'Whether people need a second factor to act in the organization. Without one they get 403 `second_factor_missing`. API keys, and members of communities in the member API, are not asked for one.',
	}),
	recentProofForApiKeys: z.boolean().meta({
		description:
			'Whether the creation of an API key needs a proof from the last 10 minutes. Otherwise it returns 403 `reauthentication_required`.',
	}),
}

export const SecuritySettings = z
	.object({
		...policy,
		membersWithoutSecondFactor: z.int().nonnegative(),
	})
	.meta({ id: 'SecuritySettings', description: 'What an organization asks of its members' })
export type SecuritySettings = z.infer<typeof SecuritySettings>

export const getSecuritySettings = operation({
	id: 'getSecuritySettings',
	method: 'get',
	path: '/v1/settings/security',
	summary: 'Get what the organization asks of its members',
	auth: 'org-admin-person',
	...returnsEtag,
	response: data(SecuritySettings),
	errors: ['not_found'],
})

export const updateSecuritySettings = operation({
	id: 'updateSecuritySettings',
	method: 'patch',
	path: '/v1/settings/security',
	summary: 'Change what the organization asks of its members',
	description:
		'For owners. An owner who requires a second factor must have one (409). Members without one keep their role and their API keys; they can act in the organization again once they have set one up.',
	auth: 'org-admin-person',
	audit: 'settings.updated',
	recentProof: true,
	...takesIfMatch,
	body: z
		.object(policy)
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(SecuritySettings),
	errors: ['not_found', 'conflict'],
})

import { z } from 'zod'
import { data, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityParams } from './communities.ts'

const operation = describeOperations('Community management')

export const CommunityDomain = z
	.object({
		domain: z.string(),
		state: z.enum(['unverified', 'verified', 'missing']).meta({
			description:
				'`unverified`: the domain has no effect yet. `verified`: requests to this host belong to the community. `missing`: the domain still works, but its DNS record is gone and the domain is lost at `lostAt`.',
		}),
		record: z
			.object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
			.meta({ description: 'The DNS record to create and keep' }),
		verifiedAt: Timestamp.nullable(),
		checkedAt: Timestamp.nullable().meta({ description: 'When the record was last looked up' }),
		nextCheckAt: Timestamp.nullable().meta({ description: 'null if the record is checked only on request' }),
		lostAt: Timestamp.nullable(),
		problem: z
			.string()
			.nullable()
			.meta({ description: 'The problem that the last check found, and what to do' }),
	})
	.meta({ id: 'CommunityDomain' })
export type CommunityDomain = z.infer<typeof CommunityDomain>

export const getCommunityDomain = operation({
	id: 'getCommunityDomain',
	method: 'get',
	path: '/v1/communities/{communityId}/domain',
	summary: 'Get the verification status of a custom domain',
	description:
		"Returns 404 without a custom domain. The DNS record is checked within minutes of setting the domain, then at growing intervals for 14 days, and daily once it is found. A verified domain is lost when its record has been missing for 3 days; failures of name servers don't count. Several communities may claim a domain, but only one holds it. Another community takes over the domain when its own record exists and the record of the current holder is gone.",
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	response: data(CommunityDomain),
})

export const checkCommunityDomain = operation({
	id: 'checkCommunityDomain',
	method: 'post',
	path: '/v1/communities/{communityId}/domain/check',
	summary: 'Check the DNS record of a custom domain now',
	description: 'Allowed once a minute (429).',
	auth: 'admin',
	openToKeys: 'reads records that the owner of a domain has published',
	audit: 'none: work',
	impersonation: 'write',
	params: CommunityParams,
	response: data(CommunityDomain),
	errors: ['too_many_requests'],
})

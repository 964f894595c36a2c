import { z } from 'zod'
import { data, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { CommunityParams } from './communities.ts'

const tag = 'Community management'

export const CommunityDomain = z
	.object({
		domain: z.string(),
		state: z.enum(['unverified', 'verified', 'missing']).meta({
			description:
				'`unverified`: without effect. `verified`: requests to this host are about the community. `missing`: still so, but the record is gone and the domain is lost at `lostAt`.',
		}),
		record: z
			.object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
			.meta({ description: 'The DNS record to set, and to keep' }),
		verifiedAt: Timestamp.nullable(),
		checkedAt: Timestamp.nullable().meta({ description: 'When the record was last looked up' }),
		nextCheckAt: Timestamp.nullable().meta({ description: 'null: only when somebody asks' }),
		lostAt: Timestamp.nullable(),
		problem: z.string().nullable().meta({ description: 'What the last check found wrong, and what to do' }),
	})
	.meta({ id: 'CommunityDomain' })
export type CommunityDomain = z.infer<typeof CommunityDomain>

export const getCommunityDomain = operation({
	id: 'getCommunityDomain',
	method: 'get',
	path: '/v1/communities/{communityId}/domain',
	tag,
	summary: 'Show how the custom domain of a community is verified',
	description:
		'404 without a custom domain. The record is looked up by itself: within minutes after the claim, then less and less often for 14 days; once a day after it was found. A verified domain whose record is gone for 3 days is lost; name servers that fail do not count. Several communities may claim a domain, and one holds it: another takes it over when its own record is there and that of the holder is gone.',
	auth: 'read',
	params: CommunityParams,
	status: 200,
	response: data(CommunityDomain),
})

export const checkCommunityDomain = operation({
	id: 'checkCommunityDomain',
	method: 'post',
	path: '/v1/communities/{communityId}/domain/check',
	tag,
	summary: 'Look up the DNS record of the custom domain now',
	description: 'Once a minute (429).',
	auth: 'admin',
	params: CommunityParams,
	status: 200,
	response: data(CommunityDomain),
	errors: ['too_many_requests'],
})

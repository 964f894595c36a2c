import { CommunityOrigins, NewOrigins } from '../../accounts/allowed-origins.ts'
import { data } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityParams } from './communities.ts'

const operation = describeOperations('Community management')

export const getCommunityOrigins = operation({
	id: 'getCommunityOrigins',
	method: 'get',
	path: '/v1/communities/{communityId}/origins',
	summary: 'List the origins of web pages that may call the API for the community',
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	response: data(CommunityOrigins),
})

export const replaceCommunityOrigins = operation({
	id: 'replaceCommunityOrigins',
	method: 'put',
	path: '/v1/communities/{communityId}/origins',
	summary: 'Replace the origins of web pages that may call the API for the community',
	description:
		'Pages of these origins, and of the verified custom domain, may call the headless API, the operations for visitors, and those with which a person signs in. Changes work everywhere within one minute.',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: 'community.updated',
	params: CommunityParams,
	body: NewOrigins,
	response: data(CommunityOrigins),
})

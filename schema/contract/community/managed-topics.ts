import { z } from 'zod'
import { data } from '../fields.ts'
import { operation } from '../operation.ts'
import { CommunityParams, Name, Slug } from './communities.ts'
import { TopicRef } from './posts.ts'

const tag = 'Community management'

export const listCommunityTopics = operation({
	id: 'listCommunityTopics',
	method: 'get',
	path: '/v1/communities/{communityId}/topics',
	tag,
	summary: 'Topics that posts can carry, by slug',
	auth: 'read',
	params: CommunityParams,
	status: 200,
	response: data(z.array(TopicRef)),
})

export const createCommunityTopic = operation({
	id: 'createCommunityTopic',
	method: 'post',
	path: '/v1/communities/{communityId}/topics',
	tag,
	summary: 'Create a topic',
	auth: 'write',
	params: CommunityParams,
	idempotent: true,
	body: z.object({ name: Name, slug: Slug }),
	status: 201,
	response: data(TopicRef),
	errors: ['conflict'],
})

import { z } from 'zod'
import { data, pathInt } from '../fields.ts'
import { operation } from '../operation.ts'
import { CommunityParams, changesOf, Name, Slug } from './communities.ts'
import { Id } from './fields.ts'
import { TopicRef } from './posts.ts'

const tag = 'Community management'
const TopicParams = CommunityParams.extend({ topicId: pathInt })

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

export const updateCommunityTopic = operation({
	id: 'updateCommunityTopic',
	method: 'patch',
	path: '/v1/communities/{communityId}/topics/{topicId}',
	tag,
	summary: 'Change a topic; posts that carry it show it at once',
	auth: 'write',
	params: TopicParams,
	body: changesOf({ name: Name, slug: Slug }),
	status: 200,
	response: data(TopicRef),
	errors: ['conflict'],
})

export const deleteCommunityTopic = operation({
	id: 'deleteCommunityTopic',
	method: 'delete',
	path: '/v1/communities/{communityId}/topics/{topicId}',
	tag,
	summary: 'Delete a topic; the posts that carried it stay',
	auth: 'write',
	params: TopicParams,
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

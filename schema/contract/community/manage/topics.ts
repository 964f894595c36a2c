import { z } from 'zod'
import { data, pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Id } from '../fields.ts'
import { TopicRef } from '../member/posts.ts'
import { CommunityParams, Name, Slug, updateSchema } from './communities.ts'

const operation = describeOperations('Community management')
const TopicParams = CommunityParams.extend({ topicId: pathInt })

export const listCommunityTopics = operation({
	id: 'listCommunityTopics',
	method: 'get',
	path: '/v1/communities/{communityId}/topics',
	summary: 'List the topics of a community by slug',
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	response: data(z.array(TopicRef)),
})

export const createCommunityTopic = operation({
	id: 'createCommunityTopic',
	method: 'post',
	path: '/v1/communities/{communityId}/topics',
	summary: 'Create a topic',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: CommunityParams,
	body: z.object({ name: Name, slug: Slug }),
	status: 201,
	response: data(TopicRef),
	errors: ['conflict'],
})

export const updateCommunityTopic = operation({
	id: 'updateCommunityTopic',
	method: 'patch',
	path: '/v1/communities/{communityId}/topics/{topicId}',
	summary: 'Update a topic, also on its posts',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: TopicParams,
	body: updateSchema({ name: Name, slug: Slug }),
	response: data(TopicRef),
	errors: ['conflict'],
})

export const deleteCommunityTopic = operation({
	id: 'deleteCommunityTopic',
	method: 'delete',
	path: '/v1/communities/{communityId}/topics/{topicId}',
	summary: 'Delete a topic but keep its posts',
	auth: 'write',
	audit: 'none: content',
	params: TopicParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

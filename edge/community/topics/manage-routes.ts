import * as contract from '#schema/contract/community/manage/topics.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import { createTopic, deleteTopic, listTopics, updateTopic } from './topics.ts'

export const topicRoutes: Route[] = [
	serve(contract.listCommunityTopics, async ({ deps, caller, params }) => ({
		data: await listTopics(deps, caller, params.communityId),
	})),

	serve(contract.createCommunityTopic, async ({ deps, caller, params, body }) => ({
		data: await createTopic(deps, caller, params.communityId, body),
	})),

	serve(contract.updateCommunityTopic, async ({ deps, caller, params, body }) => ({
		data: await updateTopic(deps, caller, params, omitUndefined(body)),
	})),

	serve(contract.deleteCommunityTopic, async ({ deps, caller, params }) => {
		await deleteTopic(deps, caller, params)
		return { data: { id: params.topicId, deleted: true as const } }
	}),
]

import * as contract from '#schema/contract/community/managed-topics.ts'
import { type Route, serve } from '../../http/route.ts'
import { refuseTaken, wantCommunity } from '../communities/communities.ts'
import { topicStore } from './store.ts'

export const topicRoutes: Route[] = [
	serve(contract.listCommunityTopics, async ({ deps, caller, params }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		return { data: await topicStore(deps.db).list(id) }
	}),

	serve(contract.createCommunityTopic, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await wantCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		const made = await refuseTaken('the community has a topic with this slug', () =>
			topicStore(deps.db).insert(row),
		)
		return { data: made }
	}),
]

import * as contract from '#schema/contract/community/managed-topics.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { refuseTaken, wantCommunity } from '../communities/communities.ts'
import { topicStore } from './store.ts'

const TAKEN = 'the community has a topic with this slug'
const noTopic = () => new AppError('not_found', 'no such topic')

export const topicRoutes: Route[] = [
	serve(contract.listCommunityTopics, async ({ deps, caller, params }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		return { data: await topicStore(deps.db).list(id) }
	}),

	serve(contract.createCommunityTopic, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await wantCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		return { data: await refuseTaken(TAKEN, () => topicStore(deps.db).insert(row)) }
	}),

	serve(contract.updateCommunityTopic, async ({ deps, caller, params, body }) => {
		const place = { orgId: caller.org.id, ...params }
		const changed = await refuseTaken(TAKEN, () => topicStore(deps.db).update(place, givenOf(body)))
		if (!changed) throw noTopic()
		return { data: changed }
	}),

	serve(contract.deleteCommunityTopic, async ({ deps, caller, params }) => {
		if (!(await topicStore(deps.db).remove({ orgId: caller.org.id, ...params }))) throw noTopic()
		return { data: { id: params.topicId, deleted: true as const } }
	}),
]

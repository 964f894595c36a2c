import * as contract from '#schema/contract/community/manage/topics.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { topicStore } from './store.ts'

const SLUG_TAKEN = 'the community already has a topic with this slug; choose another one'
const topicNotFoundError = () => new AppError('not_found', 'no such topic')

export const topicRoutes: Route[] = [
	serve(contract.listCommunityTopics, async ({ deps, caller, params }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		return { data: await topicStore(deps.db).list(id) }
	}),

	serve(contract.createCommunityTopic, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await requireCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		return { data: await rejectDuplicate(SLUG_TAKEN, () => topicStore(deps.db).insert(row)) }
	}),

	serve(contract.updateCommunityTopic, async ({ deps, caller, params, body }) => {
		const ref = { orgId: caller.org.id, ...params }
		const updated = await rejectDuplicate(SLUG_TAKEN, () =>
			topicStore(deps.db).update(ref, omitUndefined(body)),
		)
		if (!updated) throw topicNotFoundError()
		return { data: updated }
	}),

	serve(contract.deleteCommunityTopic, async ({ deps, caller, params }) => {
		if (!(await topicStore(deps.db).remove({ orgId: caller.org.id, ...params }))) throw topicNotFoundError()
		return { data: { id: params.topicId, deleted: true as const } }
	}),
]

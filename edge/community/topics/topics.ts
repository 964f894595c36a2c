import type { OrgCaller } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { type TopicChange, topicStore } from './store.ts'

type TopicPath = { communityId: number; topicId: number }

const SLUG_TAKEN = 'the community already has a topic with this slug; choose another one'
const topicNotFoundError = () => notFoundError('topic')

export async function listTopics(deps: Deps, caller: OrgCaller, communityId: number) {
	const { id } = await requireCommunity(deps, caller, communityId)
	return topicStore(deps.db).list(id)
}

export async function createTopic(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	topic: { name: string; slug: string },
) {
	const { id } = await requireCommunity(deps, caller, communityId)
	const row = { ...topic, communityId: id, createdAt: deps.now }
	return rejectDuplicate(SLUG_TAKEN, () => topicStore(deps.db).insert(row))
}

export async function updateTopic({ db }: Deps, caller: OrgCaller, path: TopicPath, change: TopicChange) {
	const ref = { orgId: caller.org.id, ...path }
	const updated = await rejectDuplicate(SLUG_TAKEN, () => topicStore(db).update(ref, change))
	if (!updated) throw topicNotFoundError()
	return updated
}

export async function deleteTopic({ db }: Deps, caller: OrgCaller, path: TopicPath): Promise<void> {
	if (!(await topicStore(db).remove({ orgId: caller.org.id, ...path }))) throw topicNotFoundError()
}

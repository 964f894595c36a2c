import type { Emoji } from '#schema/contract/watch/reactions.ts'
import type { Deps } from '../../platform/deps.ts'
import { getPlayable, playbackNotFoundError, type Viewer } from '../../video/assets/playable/viewer.ts'
import { reactionStore } from './reaction-store.ts'

export async function readReactions(deps: Deps, viewer: Viewer, sessionId: string | undefined) {
	const { id } = await getPlayable(deps, viewer)
	return reactionStore(deps.db).read(id, sessionId)
}

export async function toggleReaction(
	deps: Deps,
	viewer: Viewer,
	{ sessionId, emoji }: { sessionId: string; emoji: Emoji },
) {
	const asset = await getPlayable(deps, viewer)
	const after = await reactionStore(deps.db).toggle(deps.work, asset, sessionId, emoji)
	if (!after) throw playbackNotFoundError()
	return after
}

import type { Member } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import { openLiveStream } from '../../http/live-streams/open-live-stream.ts'
import type { Deps } from '../../platform/deps.ts'
import { memberTopic, nameCommunityStreams } from '../notifications/notification-streams.ts'
import { topicStore } from './store.ts'

/** Throws 404 for a topic whose space the member can't see. */
export async function requireTopics(
	{ db, now }: Deps,
	{ membershipId }: Member,
	topics: readonly string[],
): Promise<void> {
	if (topics.length === 0) return
	const visible = await topicStore(db).listVisible(membershipId, topics, now)
	const missing = topics.find((topic) => !visible.includes(topic))
	if (missing !== undefined) throw notFoundError(`topic: ${missing}`)
}

/** Opens the stream of a member: events on the topics, and the member's notifications. */
export async function openMemberStream(
	deps: Deps,
	caller: Member,
	asked: { topics: readonly string[]; lastEventId: string | null; address: string },
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	const { topics, lastEventId, address } = asked
	await requireTopics(deps, caller, topics)
	const own = memberTopic(caller.membershipId)
	let heard = new Set([own, ...topics])
	return openLiveStream(deps, {
		streams: nameCommunityStreams(caller.communityId),
		opening: { topics: [...heard], holder: own, access: caller.access.id, address, lastEventId },
		endsAt: caller.accessEndsAt,
		async isStillAdmitted(laterMs) {
			if (!(await isStillAdmitted(laterMs))) return false
			if (topics.length > 0) {
				const now = deps.now + laterMs
				heard = new Set([own, ...(await topicStore(deps.db).listVisible(caller.membershipId, topics, now))])
			}
			return true
		},
		async onMessage({ id, type, topics: of, data }) {
			const isOwn = type === 'ready' || type === 'reset'
			return isOwn || of.some((topic) => heard.has(topic)) ? [{ id, data: { type, ...data } }] : []
		},
	})
}

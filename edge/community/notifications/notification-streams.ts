import type { EventByType } from '#schema/contract/events.ts'
import type { Member } from '../../http/caller.ts'
import { openLiveStream } from '../../http/live-streams/open-live-stream.ts'
import type { SentEvent } from '../../http/live-streams/relay-messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { findLiveStreams, publishEvents } from '../../platform/live-streams/live-streams-stub.ts'
import { toViewer } from '../access/viewer.ts'
import type { Push, PushTo } from './push.ts'
import { notificationStore } from './store.ts'
import { streamStore } from './stream-store.ts'

/** Communities in which streams are closed immediately. Streams in others end at the next check of their rights. */
const MAX_COMMUNITIES_CLOSED = 40
/** Events that a resumed stream repeats. Clients that missed more read the list. */
const MAX_MISSED = 100

export const nameCommunityStreams = (communityId: number): string => `community-${communityId}`
export const memberTopic = (membershipId: number): string => `member:${membershipId}`

const toSent = ({ id, kind }: Push): SentEvent => ({
	id: String(id),
	event: 'notification',
	data: { id, kind },
})

/** Opens a stream of the member's notifications, starting after `lastId`. */
export async function openStream(
	deps: Deps,
	caller: Member,
	{ lastId, address }: { lastId: number | null; address: string },
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	const viewer = toViewer(caller, deps)
	const own = memberTopic(viewer.membershipId)
	return openLiveStream(deps, {
		streams: nameCommunityStreams(viewer.communityId),
		opening: { topics: [own], holder: own, access: caller.access.id, address, lastEventId: null },
		endsAt: caller.accessEndsAt,
		isStillAdmitted,
		async onMessage({ type, data }) {
			if (type === 'notification') return [toSent(data as Push)]
			// The first message. Missed notifications are looked up after the stream is open, so that none is lost in between.
			if (lastId === null) return []
			return (await notificationStore(deps.db).listAfter(viewer, lastId, MAX_MISSED)).map(toSent)
		},
	})
}

/** Pushes notifications to open streams. A lost push is harmless, since clients can read the list. */
export const pushNotifications = (
	deps: Deps,
	communityId: number,
	notifications: readonly PushTo[],
): Promise<void> =>
	publishEvents(
		deps,
		nameCommunityStreams(communityId),
		notifications.map(({ membershipId, ...data }) => ({
			topics: [memberTopic(membershipId)],
			type: 'notification',
			data,
		})),
	)

/** Closes the streams of a member; with `accessId`, only those of one session or grant. */
export async function closeStreams(
	{ env }: Pick<Deps, 'env'>,
	communityId: number,
	membershipId: number,
	accessId?: string,
): Promise<void> {
	await findLiveStreams(env, nameCommunityStreams(communityId))?.close(memberTopic(membershipId), accessId)
}

/** Closes the streams of a person in all communities; with `sessionId`, only those of one session. */
export async function closeUserStreams(
	deps: Pick<Deps, 'db' | 'env'>,
	userId: number,
	sessionId?: string,
): Promise<void> {
	for (const { communityId, membershipId } of await streamStore(deps.db).listMemberships(
		userId,
		MAX_COMMUNITIES_CLOSED,
	))
		await closeStreams(deps, communityId, membershipId, sessionId)
}

/** Closes all streams of a suspended organization. New ones are rejected. */
export async function closeSuspendedStreams(
	{ db, env }: Pick<Deps, 'db' | 'env'>,
	{ orgId }: EventByType<'org.suspended'>,
): Promise<void> {
	for (const communityId of await streamStore(db).listSuspendedCommunities(orgId))
		await findLiveStreams(env, nameCommunityStreams(communityId))?.closeAll()
}

import type { EventByType } from '#schema/contract/events.ts'
import type { Member } from '../../http/caller.ts'
import { AppError, tooManyRequestsError } from '../../http/errors.ts'
import { eventStreamResponse } from '../../http/event-stream.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import { toViewer } from '../access/viewer.ts'
import { notificationStore } from './store.ts'
import { streamStore } from './stream-store.ts'
import type { MemberStreams, PushTo } from './streams.ts'

/** Communities in which streams are closed immediately. Streams in others get no more events and end within the hour. */
const MAX_COMMUNITIES_CLOSED = 40
/** Events that a resumed stream repeats. Clients that missed more read the list. */
const MAX_MISSED = 100

/** Returns null on platforms without Durable Objects; clients then poll the list. */
function findStreams(env: Env, communityId: number): DurableObjectStub<MemberStreams> | null {
	const namespace = env.bindings.MEMBER_STREAMS as DurableObjectNamespace<MemberStreams> | undefined
	return namespace ? namespace.getByName(`community-${communityId}`) : null
}

/** Opens a stream of the member's notifications, starting after `lastId`. */
export async function openStream(deps: Deps, caller: Member, lastId: number | null): Promise<Response> {
	const viewer = toViewer(caller, deps)
	const streams = findStreams(deps.env, viewer.communityId)
	if (!streams)
		throw new AppError('not_configured', 'notification streams are not set up: bind MEMBER_STREAMS')
	const id = crypto.randomUUID()
	const query = new URLSearchParams({
		stream: id,
		member: String(viewer.membershipId),
		access: JSON.stringify(caller.access),
		// A duration instead of an instant, because the object has its own clock.
		life: String(caller.accessEndsAt - deps.now),
	})
	const response = await streams.fetch(`https://streams/?${query}`)
	if (!response.ok)
		throw tooManyRequestsError(30, 'the member has too many open streams; close one and try again')
	// Looked up after the stream is open, so that no notification is lost in between.
	if (lastId !== null)
		await streams.resume(id, await notificationStore(deps.db).listAfter(viewer, lastId, MAX_MISSED))
	return eventStreamResponse(response.body)
}

/**
 * Pushes notifications to open streams. A lost push is harmless, since clients can read the list. Also closes ended
 * streams, in case an earlier close failed.
 */
export async function pushNotifications(
	{ db, env, log, now }: Deps,
	communityId: number,
	notifications: PushTo[],
): Promise<void> {
	try {
		const streams = notifications.length > 0 ? findStreams(env, communityId) : null
		if (!streams) return
		const open = await streams.listAccesses(notifications.map(({ membershipId }) => membershipId))
		if (open.length === 0) return
		await streams.push(notifications, await streamStore(db).findEnded(open, now))
	} catch (error) {
		log.error('could not push notifications', error, { communityId })
	}
}

/** Closes the streams of a member; with `accessId`, only those of one session or grant. */
export async function closeStreams(
	{ env }: Pick<Deps, 'env'>,
	communityId: number,
	membershipId: number,
	accessId?: string,
): Promise<void> {
	await findStreams(env, communityId)?.close(membershipId, accessId)
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
		await findStreams(env, communityId)?.closeAll()
}

import type { Member } from '../../http/caller.ts'
import { AppError, tooManyRequests } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import { viewerOf } from '../access/viewer.ts'
import { notificationStore } from './store.ts'
import { streamStore } from './stream-store.ts'
import type { MemberStreams, PushTo } from './streams.ts'

/** Communities in which streams are closed at once; those in others hear nothing more, and end within the hour. */
const MOST_CLOSED = 40
/** Who missed more reads the list. */
const MOST_MISSED = 100

/** null where the platform has no such objects: members then look into the list. */
function findStreams(env: Env, communityId: number): DurableObjectStub<MemberStreams> | null {
	const namespace = env.bindings.MEMBER_STREAMS as DurableObjectNamespace<MemberStreams> | undefined
	return namespace ? namespace.getByName(`community-${communityId}`) : null
}

/** A stream of the member's notifications, from the one after `lastId` on. */
export async function openStream(deps: Deps, caller: Member, lastId: number | null): Promise<Response> {
	const viewer = viewerOf(caller, deps)
	const streams = findStreams(deps.env, viewer.communityId)
	if (!streams) throw new AppError('not_configured', 'this installation has no streams: bind MEMBER_STREAMS')
	const id = crypto.randomUUID()
	const query = new URLSearchParams({
		stream: id,
		member: String(viewer.membershipId),
		access: JSON.stringify(caller.access),
		// How long, not until when: the object has a clock of its own.
		life: String(caller.accessEndsAt - deps.now),
	})
	const answer = await streams.fetch(`https://streams/?${query}`)
	if (!answer.ok) throw tooManyRequests(30, 'too many streams of this member are open')
	// Looked up once the stream is open, so that nothing falls between the two.
	if (lastId !== null)
		await streams.resume(id, await notificationStore(deps.db).listAfter(viewer, lastId, MOST_MISSED))
	return new Response(answer.body, {
		headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
	})
}

/**
 * A push that is lost costs nothing: the list is the truth. A stream whose session or token has ended is closed
 * instead, also where nobody closed it when that happened.
 */
export async function pushTold(
	{ db, env, log, now }: Deps,
	communityId: number,
	told: PushTo[],
): Promise<void> {
	try {
		const streams = told.length > 0 ? findStreams(env, communityId) : null
		if (!streams) return
		const open = await streams.accessesOf(told.map(({ membershipId }) => membershipId))
		if (open.length === 0) return
		await streams.push(told, await streamStore(db).findEnded(open, now))
	} catch (error) {
		log.error('could not push notifications', error, { communityId })
	}
}

/** Those of one member; only what one session or grant opened, if it is named. */
export async function closeStreams(
	{ env }: Pick<Deps, 'env'>,
	communityId: number,
	membershipId: number,
	accessId?: string,
): Promise<void> {
	await findStreams(env, communityId)?.close(membershipId, accessId)
}

/** Those of one person in all communities; only what one session opened, if it is named. */
export async function closeStreamsOf(
	deps: Pick<Deps, 'db' | 'env'>,
	userId: number,
	sessionId?: string,
): Promise<void> {
	for (const { communityId, membershipId } of await streamStore(deps.db).listMemberships(userId, MOST_CLOSED))
		await closeStreams(deps, communityId, membershipId, sessionId)
}

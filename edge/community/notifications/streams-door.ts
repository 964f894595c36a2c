import { AppError, tooManyRequests } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { notificationStore } from './store.ts'
import type { MemberStreams, PushTo } from './streams.ts'

/** Who missed more reads the list. */
const MOST_MISSED = 100

/** null where the platform has no such objects: members then look into the list. */
function findStreams(env: Env, communityId: number): DurableObjectStub<MemberStreams> | null {
	const namespace = env.bindings.MEMBER_STREAMS as DurableObjectNamespace<MemberStreams> | undefined
	return namespace ? namespace.getByName(`community-${communityId}`) : null
}

/** A stream of the member's notifications, from the one after `lastId` on. */
export async function openStream(
	{ db, env }: Deps,
	viewer: Viewer,
	lastId: number | null,
): Promise<Response> {
	const streams = findStreams(env, viewer.communityId)
	if (!streams) throw new AppError('not_configured', 'this installation has no streams: bind MEMBER_STREAMS')
	const id = crypto.randomUUID()
	const answer = await streams.fetch(`https://streams/?member=${viewer.membershipId}&stream=${id}`)
	if (!answer.ok) throw tooManyRequests(30, 'too many streams of this member are open')
	// Looked up once the stream is open, so that nothing falls between the two.
	if (lastId !== null)
		await streams.resume(id, await notificationStore(db).listAfter(viewer, lastId, MOST_MISSED))
	return new Response(answer.body, {
		headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
	})
}

/** A push that is lost costs nothing: the list is the truth. */
export async function pushTold({ env, log }: Deps, communityId: number, told: PushTo[]): Promise<void> {
	try {
		if (told.length > 0) await findStreams(env, communityId)?.push(told)
	} catch (error) {
		log.error('could not push notifications', error, { communityId })
	}
}

/** One that is missed ends with its hour, and is told of nothing in the meantime: that takes an active membership. */
export async function closeStreams({ env }: Deps, communityId: number, membershipId: number): Promise<void> {
	await findStreams(env, communityId)?.close(membershipId)
}

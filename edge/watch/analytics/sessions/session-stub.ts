import { AppError } from '../../../http/errors.ts'
import type { Env } from '../../../platform/env.ts'
import type { PlaybackSessions } from './session-object.ts'
import { formatObjectName, type Shard } from './shards/shards.ts'

export function findSessions(
	env: Env,
	playbackId: string,
	shard: Shard,
): DurableObjectStub<PlaybackSessions> | null {
	const namespace = env.bindings.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions> | undefined
	return namespace ? namespace.getByName(formatObjectName(playbackId, shard)) : null
}

export function requireSessions(
	env: Env,
	playbackId: string,
	shard: Shard,
): DurableObjectStub<PlaybackSessions> {
	const sessions = findSessions(env, playbackId, shard)
	if (!sessions) throw new AppError('not_configured', 'analytics are not set up: bind PLAYBACK_SESSIONS')
	return sessions
}

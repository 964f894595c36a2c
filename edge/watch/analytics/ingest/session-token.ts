import { requireTokens } from '../../../http/require-secrets.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { playbackSessionToken } from '../../../platform/tokens/tokens.ts'
import type { Shard } from '../sessions/shards/shards.ts'

/** Each response renews the token. A player that reports nothing for this long must start a new session. */
const TOKEN_MS = 30 * MINUTE

/** What the first response decides about a session. */
export type SessionGrant = { sessionId: string; playbackId: string; shard: Shard; startedAt: number }

export function signSession(
	deps: Deps,
	{ sessionId, playbackId, shard, startedAt }: SessionGrant,
): Promise<string> {
	const claims = {
		typ: 'playback-session',
		sub: sessionId,
		pid: playbackId,
		shard: [shard.level, shard.index],
		start: startedAt,
	}
	return requireTokens(deps, 'analytics').sign(playbackSessionToken, claims, deps.now, deps.now + TOKEN_MS)
}

/** Returns null for a token that expired or belongs to another session. */
export async function readSession(
	deps: Deps,
	token: string,
	of: { sessionId: string; playbackId: string },
): Promise<SessionGrant | null> {
	const claims = await deps.tokens?.read(playbackSessionToken, token, deps.now)
	if (claims?.sub !== of.sessionId || claims.pid !== of.playbackId) return null
	const [level, index] = claims.shard
	return { ...of, shard: { level, index }, startedAt: claims.start }
}

import type { PlaybackSessionTimeline } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { notFoundError } from '../../../http/errors.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../../video/assets/assets.ts'
import { requireSessions } from '../sessions/session-stub.ts'
import { ROOT } from '../sessions/shards/shards.ts'
import type { SessionTimeline } from './session-timeline.ts'
import { diffShown } from './timeline.ts'

/** Returns the time line of a session, or those of all sessions of a page, by its report id. */
export async function readTimelines(
	deps: Deps,
	orgId: string,
	assetId: string,
	key: string,
): Promise<PlaybackSessionTimeline[]> {
	const { playbackId } = await getAsset(deps, orgId, assetId)
	const found = await requireSessions(deps.env, playbackId, ROOT).timelines(playbackId, key, deps.now)
	if (found.length === 0) throw notFoundError('session')
	return found.map(viewTimeline)
}

function viewTimeline({ id, place, totals, timeline, ...session }: SessionTimeline): PlaybackSessionTimeline {
	const { snapshots, omitted } = timeline
	return {
		sessionId: id,
		reportId: session.reportId,
		startedAt: toIso(session.startedAt),
		reportedAt: toIso(session.reportedAt),
		isOpen: session.isOpen,
		audience: session.audience,
		...place,
		totals,
		entries: snapshots.map((snapshot, k) => ({
			at: toIso(snapshot.at),
			activity: snapshot.activity,
			positionMs: snapshot.positionMs,
			shownMs: diffShown(snapshots[k - 1], snapshot),
			stalls: snapshot.stalls,
			stalledMs: snapshot.stalledMs,
			error: snapshot.error,
		})),
		omitted,
	}
}

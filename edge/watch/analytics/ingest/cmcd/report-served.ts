import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { AppError } from '../../../../http/errors.ts'
import { enforceAddressLimit } from '../../../../http/limits/rate-limit.ts'
import type { Deps } from '../../../../platform/deps.ts'
import type { ServedMedia } from '../../../playback/served-media.ts'
import { findSessions } from '../../sessions/session-stub.ts'
import { ROOT } from '../../sessions/shards/shards.ts'
import { formatSessionScope, measureViewer } from '../measured-viewer.ts'
import { describePlace } from '../viewer.ts'
import { markNetwork } from '../visitor.ts'
import { CMCD_INTERVAL_MS, deriveSessionId, parseReportId } from './cmcd-session.ts'
import { readSegmentRequest } from './media-request.ts'
import { PendingSegments, type ServedSegment } from './pending-segments.ts'

const pending = new PendingSegments()

/** Reports the segments that CMCD players load through the Worker, after the responses. */
export function reportServed(deps: Deps, served: ServedMedia): void {
	const asked = readSegmentRequest(served)
	if (!asked) return
	const due = pending.add(`${served.video.playbackId} ${asked.sid}`, asked.segment, deps.now)
	if (due) deps.defer(report(deps, served, asked.sid, due))
}

async function report(
	deps: Deps,
	{ video, request }: ServedMedia,
	sid: string,
	{ deliveredMs, isStarved }: ServedSegment,
): Promise<void> {
	const object = findSessions(deps.env, video.playbackId, ROOT)
	const ip = request.headers.get('cf-connecting-ip') ?? 'unknown'
	// Otherwise an IP address could create any number of sessions.
	if (!object || (await isOverLimit(deps, ip))) return
	const viewer = await measureViewer(deps, { caller: undefined, request, ip }, video)
	if (!viewer) return
	const { audience, visitor, collected } = viewer
	const place = describePlace(request, { referrer: request.headers.get('origin') ?? undefined }, collected)
	const number = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
	await object.report(
		formatSessionScope(video, ROOT),
		[
			{
				sessionId: await deriveSessionId(sid),
				reportId: parseReportId(sid),
				startedAt: null,
				mayBeElsewhere: true,
				audience,
				network: await markNetwork(deps, video.playbackId, ip),
				visitor,
				place,
				state: null,
				events: [{ kind: 'served', at: deps.now, number, deliveredMs, isStarved }],
				isEnd: false,
				ownIntervalMs: CMCD_INTERVAL_MS,
			},
		],
		deps.now,
	)
}

async function isOverLimit(deps: Deps, ip: string): Promise<boolean> {
	try {
		await enforceAddressLimit(sendPlayerEvents, deps, ip)
		return false
	} catch (error) {
		if (error instanceof AppError) return true
		throw error
	}
}

import { streamStates } from '../../../http/event-stream.ts'
import { MINUTE, SECOND, toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../../video/assets/assets.ts'
import { openStreamTicket } from '../../../video/fleet/stream-ticket.ts'
import { COUNT_LIFE_MS, readSharedLiveCount } from './live-count.ts'

const LIFE_MS = 5 * MINUTE
/** Spreads the reconnects after a deployment has closed all streams. */
const RETRY_MS = { least: 2 * SECOND, spread: 6 * SECOND }

/** Streams the number of viewers as server-sent events. The event id is the number, for reconnecting clients. */
export async function streamLiveCount(
	deps: Deps,
	{ orgId, assetId, lastEventId }: { orgId: string; assetId: string; lastEventId: string | null },
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	const { playbackId } = await getAsset(deps, orgId, assetId)
	await readSharedLiveCount(deps, playbackId, deps.now)
	const onEnd = await openStreamTicket(deps, orgId, LIFE_MS)
	return streamStates({
		event: 'live',
		async read(laterMs) {
			const { viewers, at } = await readSharedLiveCount(deps, playbackId, deps.now + laterMs)
			return { id: `${viewers}`, data: { viewers, at: toIso(at) } }
		},
		pollEveryMs: COUNT_LIFE_MS,
		lifeMs: LIFE_MS,
		retryMs: Math.round(RETRY_MS.least + Math.random() * RETRY_MS.spread),
		lastEventId,
		isStillAdmitted,
		// A number that changes each second would otherwise cost a statement each second.
		admitEveryMs: MINUTE,
		onError: (error) => deps.log.error('streaming the live count failed', error, { assetId }),
		onEnd,
	})
}

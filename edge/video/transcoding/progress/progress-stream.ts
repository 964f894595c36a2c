import type { AssetProgress } from '#schema/contract/video/transcoding.ts'
import { streamStates } from '../../../http/event-stream.ts'
import { MINUTE, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../assets/assets.ts'
import { openStreamTicket } from '../../fleet/stream-ticket.ts'
import { findProcessing } from '../store/processing-store.ts'
import { viewProgress } from './processing-view.ts'

const POLL_INTERVAL_MS = 2 * SECOND
/** Each poll costs one statement. */
const LIFE_MS = 4 * MINUTE

/** Identifies a progress state, ignoring values that only depend on time. */
const idOf = ({ status, currentStep, jobStatus, progress }: AssetProgress): string =>
	[status, jobStatus, currentStep, progress].join('.')

const isOver = ({ status, jobStatus }: AssetProgress): boolean =>
	status !== 'queued' && status !== 'processing' && jobStatus !== 'queued' && jobStatus !== 'processing'

/** Streams the progress of an asset as server-sent events in the body of one response. */
export async function streamProgress(
	deps: Deps,
	orgId: string,
	assetId: string,
	lastEventId: string | null,
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	await getAsset(deps, orgId, assetId)
	const first = await readProgress(deps, assetId, 0)
	// A closed EventSource reconnects until it gets 204.
	if (first === null || (isOver(first) && lastEventId === idOf(first)))
		return new Response(null, { status: 204 })
	const onEnd = await openStreamTicket(deps, orgId, LIFE_MS)
	return streamStates({
		event: 'progress',
		async read(laterMs) {
			const current = laterMs === 0 ? first : await readProgress(deps, assetId, laterMs)
			return current && { id: idOf(current), data: current, isLast: isOver(current) }
		},
		pollEveryMs: POLL_INTERVAL_MS,
		lifeMs: LIFE_MS,
		retryMs: POLL_INTERVAL_MS,
		lastEventId,
		isStillAdmitted,
		admitEveryMs: 0,
		onError: (error) => deps.log.error('streaming progress failed', error, { assetId }),
		onEnd,
	})
}

/** Returns null once the asset is deleted. */
async function readProgress(deps: Deps, assetId: string, laterMs: number): Promise<AssetProgress | null> {
	const found = await findProcessing(deps.db, assetId)
	return found && viewProgress(found, deps.now + laterMs)
}

import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { EVENTS_KEPT_MS } from '../../../platform/outbox/outbox.ts'
import { wakeEndpoints } from '../planning/wake.ts'
import { deliveryStore } from './delivery-store.ts'

const MAX_ENDPOINTS_A_RUN = 500

/** Starts deliveries whose message was lost or whose consumer died, and ends those of disabled endpoints. */
export async function sweepDeliveries(deps: Deps): Promise<void> {
	const store = deliveryStore(deps.db)
	await wakeEndpoints(deps, await store.listOverdue(deps.now, MAX_ENDPOINTS_A_RUN))
	await store.endRefused(deps.now)
}

export const pruneDeliveries = ({ db, now }: Deps): Promise<void> =>
	deliveryStore(db).prune(now - EVENTS_KEPT_MS - DAY)

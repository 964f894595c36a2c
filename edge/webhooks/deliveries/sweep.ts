import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { EVENTS_KEPT_MS } from '../../platform/outbox/outbox.ts'
import { wakeEndpoints } from '../planning/wake.ts'
import { deliveryStore } from './delivery-store.ts'

const MAX_ENDPOINTS_A_RUN = 500
const MAX_PRUNE_STEPS = 200

/** Starts deliveries whose message was lost or whose consumer died, and ends those of disabled endpoints. */
export async function sweepDeliveries(deps: Deps): Promise<void> {
	const store = deliveryStore(deps.db)
	await wakeEndpoints(deps, await store.listOverdue(deps.now, MAX_ENDPOINTS_A_RUN))
	await store.endRefused(deps.now)
}

/** Deletes old rows. If there are too many for one run, the next nights delete the rest. */
export async function pruneDeliveries({ db, now }: Deps): Promise<void> {
	for (let step = 0; step < MAX_PRUNE_STEPS; step++)
		if (!(await deliveryStore(db).prune(now - EVENTS_KEPT_MS - DAY))) return
}

import { DAY, MINUTE } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { EVENTS_KEPT_MS, recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { type EndpointRow, endpointStore } from '../endpoints/endpoint-store.ts'
import { planEndpoints } from '../planning/plan.ts'
import { planStore } from '../planning/plan-store.ts'
import { wakeEndpoints } from '../planning/wake.ts'
import { deliveryStore } from './delivery-store.ts'
import { SWITCH_OFF_MS, WARNING_MS } from './next-attempt.ts'

const MAX_ENDPOINTS_A_RUN = 500
/** A short outage, such as a restart, needs no mail. */
const FAILING_NOTICE_MS = 30 * MINUTE

/** Plans events of requests that ended before they did so. */
export async function planForgotten(deps: Deps): Promise<void> {
	await planEndpoints(deps, await planStore(deps.db).listBehind(MAX_ENDPOINTS_A_RUN))
}

/** Starts deliveries whose message was lost or whose consumer died. */
export async function wakeOverdue(deps: Deps): Promise<void> {
	await wakeEndpoints(deps, await deliveryStore(deps.db).listOverdue(deps.now, MAX_ENDPOINTS_A_RUN))
}

/** Notifies owners of endpoints that fail, and again a day before deliveries are switched off. */
export async function reportFailingEndpoints(deps: Deps): Promise<void> {
	const { db, now } = deps
	const store = endpointStore(db)
	for (const endpoint of await store.listFailingSince(now - SWITCH_OFF_MS + WARNING_MS, 2))
		await report(deps, endpoint, 'webhook.disabled_soon', 2)
	for (const endpoint of await store.listFailingSince(now - FAILING_NOTICE_MS, 1))
		await report(deps, endpoint, 'webhook.failing', 1)
}

async function report(
	{ db, now }: Deps,
	{ id, orgId }: EndpointRow,
	type: 'webhook.failing' | 'webhook.disabled_soon',
	notice: number,
): Promise<void> {
	await batch(db, {
		noticeNoted: endpointStore(db).noteNoticeStatement(id, notice),
		eventRecorded: recordEventIfChangedStatement(db, now, { type, orgId, payload: { endpointId: id } }),
	})
}

export const pruneDeliveries = ({ db, now }: Deps): Promise<void> =>
	deliveryStore(db).prune(now - EVENTS_KEPT_MS - DAY)

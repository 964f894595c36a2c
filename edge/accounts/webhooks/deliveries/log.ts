import { AppError, notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { EVENTS_KEPT_MS } from '../../../platform/outbox/outbox.ts'
import { type EndpointRow, endpointStore } from '../endpoints/endpoint-store.ts'
import { getEndpoint } from '../endpoints/endpoints.ts'
import { eventStore } from '../events/event-store.ts'
import { planEndpoints } from '../planning/plan.ts'
import { wakeEndpoints } from '../planning/wake.ts'
import type { AttemptRow, DeliveryRow } from './delivery-store.ts'
import { deliveryLogStore, type Recovery } from './log-store.ts'

/** Events per recovery. Each has one delivery per endpoint, so the rows stay below the limits of D1. */
const EVENTS_A_RECOVERY = 500

export async function getEventLog({ db, now }: Deps, orgId: string, eventId: string) {
	const event = await eventStore(db).find(orgId, eventId, now)
	if (!event) throw notFoundError('event')
	const { deliveries, attempts } = await deliveryLogStore(db).findOfEvent(orgId, eventId)
	const attemptsOf = ({ endpointId }: DeliveryRow): AttemptRow[] =>
		attempts.filter((attempt) => attempt.endpointId === endpointId)
	return { event, deliveries: deliveries.map((delivery) => ({ delivery, attempts: attemptsOf(delivery) })) }
}

async function wakeListed(deps: Deps, endpointIds: readonly string[]): Promise<void> {
	await wakeEndpoints(deps, await endpointStore(deps.db).listWakes(endpointIds))
}

export async function retryEvent(
	deps: Deps,
	orgId: string,
	eventId: string,
	endpointId: string | undefined,
): Promise<DeliveryRow[]> {
	const { db, now } = deps
	if (!(await eventStore(db).find(orgId, eventId, now))) throw notFoundError('event')
	const restarted = await deliveryLogStore(db).restart(orgId, eventId, endpointId, now)
	if (restarted.length === 0)
		throw new AppError(
			'conflict',
			'no endpoint can be retried: none subscribed to the event, none is enabled, or an attempt is running',
		)
	await wakeListed(
		deps,
		restarted.map((row) => row.endpointId),
	)
	return restarted
}

type OpenRecovery = Omit<Recovery, 'until'> & { until?: number }

export async function recoverEvents(deps: Deps, orgId: string, recovery: OpenRecovery) {
	if (recovery.endpointId) await getEndpoint(deps, orgId, recovery.endpointId)
	const { period, windowEnd } = await windowOf(deps, orgId, recovery)
	const found = await deliveryLogStore(deps.db).recover(orgId, period, windowEnd, deps.now)
	await wakeListed(deps, [...new Set(found)])
	return { deliveries: found.length, next: windowEnd ?? null }
}

/** Recovers what an endpoint missed, and enables it if it is disabled: both or neither, also if the process dies. */
export async function recoverEndpoint(deps: Deps, endpoint: EndpointRow, recovery: OpenRecovery) {
	const { id, orgId } = endpoint
	const { period, windowEnd } = await windowOf(deps, orgId, recovery)
	const deliveries = await deliveryLogStore(deps.db).recoverEndpoint(deps.work, endpoint, period, windowEnd)
	if (deliveries === null)
		throw new AppError('conflict', 'this endpoint was paused, disabled or deleted; read it again')
	// Also starts the deliveries that waited while it was disabled.
	deps.defer(planEndpoints(deps, [id]))
	await wakeListed(deps, [id])
	return { deliveries, next: windowEnd ?? null }
}

/** Returns the period of a recovery, and the last event that one call covers; undefined if that is all. */
async function windowOf({ db, now }: Deps, orgId: string, recovery: OpenRecovery) {
	const until = recovery.until ?? now
	const since = Math.max(recovery.since, now - EVENTS_KEPT_MS)
	if (since >= until) throw new AppError('validation', 'since: must be before until')
	const period = { ...recovery, since, until }
	return { period, windowEnd: await deliveryLogStore(db).findWindowEnd(orgId, period, EVENTS_A_RECOVERY) }
}

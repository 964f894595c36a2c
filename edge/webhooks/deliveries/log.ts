import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { EVENTS_KEPT_MS } from '../../platform/outbox/outbox.ts'
import { endpointStore } from '../endpoints/endpoint-store.ts'
import { getEndpoint } from '../endpoints/endpoints.ts'
import { eventStore } from '../events/event-store.ts'
import { wakeEndpoints } from '../planning/wake.ts'
import type { AttemptRow, DeliveryRow } from './delivery-store.ts'
import { deliveryLogStore, type Recovery } from './log-store.ts'

/** Events of one recovery. Each has one delivery per endpoint, so its rows stay below the limits of D1. */
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

export async function recoverEvents(
	deps: Deps,
	orgId: string,
	recovery: Omit<Recovery, 'until'> & { until?: number },
) {
	const { db, now } = deps
	const until = recovery.until ?? now
	const since = Math.max(recovery.since, now - EVENTS_KEPT_MS)
	if (recovery.endpointId) await getEndpoint(deps, orgId, recovery.endpointId)
	if (since >= until) throw new AppError('validation', 'since: must be before until')
	const period = { ...recovery, since, until }
	const store = deliveryLogStore(db)
	const windowEnd = await store.findWindowEnd(orgId, period, EVENTS_A_RECOVERY)
	const found = await store.recover(orgId, period, windowEnd, now)
	await wakeListed(deps, [...new Set(found)])
	return { deliveries: found.length, next: windowEnd ?? null }
}

import type { DeliverWebhooks } from '#schema/contract/platform/messages.ts'
import type { EventEnvelope } from '#schema/contract/platform/webhooks/public-events.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { signedHeaders } from '../../platform/tokens/standard-webhooks.ts'
import { type EndpointRow, endpointStore } from '../endpoints/endpoint-store.ts'
import { openSigningKeys } from '../endpoints/secret.ts'
import { envelopeOf, thinOf } from '../events/envelope.ts'
import { eventStore } from '../events/event-store.ts'
import { attemptDelivery } from './attempt.ts'
import { type DeliveryRow, deliveryStore } from './delivery-store.ts'
import { wakeEndpointAt } from './wake.ts'

/** A consumer hands over to the next message after this time. */
const RUN_MS = 20 * SECOND

/**
 * Attempts the due deliveries of an endpoint one after the other. Several messages of one endpoint run in parallel, up to
 * its limit. A message that finds nothing to do ends; each failure sends one message for the next attempt.
 */
export async function deliverWebhooks(deps: Deps, { endpointId, isFailing }: DeliverWebhooks): Promise<void> {
	const { db, clock } = deps
	const endsAt = clock() + RUN_MS
	while (clock() < endsAt) {
		const delivery = await deliveryStore(db).claimNext({ endpointId, isFailing }, clock())
		if (!delivery) return
		const endpoint = await endpointStore(db).findById(endpointId)
		// The endpoint was deleted with its deliveries in the meantime.
		if (!endpoint) return
		if (!(await deliver(deps, delivery, endpoint))) return
	}
	// Every attempt of this run succeeded.
	await wakeEndpointAt(deps, { endpointId, isFailing: false }, clock())
}

/** Makes one attempt, and returns whether it succeeded. */
async function deliver(deps: Deps, delivery: DeliveryRow, endpoint: EndpointRow): Promise<boolean> {
	const { db, clock, log } = deps
	const startedAt = clock()
	const event = await eventStore(db).find(delivery.orgId, delivery.eventId)
	const outcome = event
		? await attemptDelivery(
				deps,
				endpoint,
				...(await requestOf(deps, endpoint, envelopeOf(event), startedAt)),
			)
		: {
				status: null,
				durationMs: 0,
				problem: 'the event was deleted',
				responseText: null,
				retryAfterMs: null,
				refusal: null,
			}
	if (outcome.problem === null && outcome.refusal === null) {
		await deliveryStore(db).recordSuccess(delivery, outcome, startedAt, clock())
		return true
	}
	const { endpointId, eventId } = delivery
	log.info('webhook delivery failed', {
		endpointId,
		eventId,
		attempt: delivery.attempts + 1,
		reason: outcome.problem,
	})
	const at = { startedAt, now: clock(), random: Math.random() }
	const nextAt = await deliveryStore(db).recordFailure(delivery, endpoint, outcome, at)
	if (nextAt !== null) await wakeEndpointAt(deps, { endpointId, isFailing: true }, nextAt)
	return false
}

/** Returns the body and the headers of a delivery. */
export async function requestOf(
	deps: Deps,
	endpoint: EndpointRow,
	event: Omit<EventEnvelope, 'type'> & { type: string },
	now: number,
): Promise<[body: string, headers: Record<string, string>]> {
	const body = JSON.stringify(endpoint.payload === 'thin' ? thinOf(event) : event)
	const keys = await openSigningKeys(requireSecrets(deps, 'webhooks are'), endpoint, now)
	return [body, await signedHeaders(keys, { id: event.id, body, now })]
}

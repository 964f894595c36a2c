import type { DeliverWebhooks } from '#schema/contract/messages.ts'
import type { EventEnvelope } from '#schema/contract/public-events.ts'
import { requireSecrets } from '../../../http/require-secrets.ts'
import { MINUTE, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { signHeaders } from '../../../platform/tokens/standard-webhooks.ts'
import { type EndpointRow, endpointStore } from '../endpoints/endpoint-store.ts'
import { openSigningKeys } from '../endpoints/secret.ts'
import { toEnvelope, toThinEvent } from '../events/envelope.ts'
import { eventStore } from '../events/event-store.ts'
import { attemptsMade } from '../metrics.ts'
import { type Wake, wakeEndpointAt } from '../planning/wake.ts'
import { attemptDelivery, TIMEOUT_MS } from './attempt.ts'
import { type DeliveryRow, deliveryStore } from './delivery-store.ts'

/**
 * A run hands over to the next message after this time or number of deliveries. Its last attempt then ends within the
 * 30 s that Cloudflare grants after a message.
 */
const RUN_MS = 10 * SECOND
const MAX_DELIVERIES = 20
/** How long a delivery waits after an error of this installation. */
const INTERNAL_WAIT_MS = 5 * MINUTE

/**
 * Starts the deliveries of an endpoint, and completes the message before them, because a slow receiver would
 * otherwise delay other messages. If the Worker dies, the sweep finds the deliveries after their lease.
 */
export async function deliverWebhooks(deps: Deps, { endpointId, isFailing }: DeliverWebhooks): Promise<void> {
	deps.defer(deliverDue(deps, { endpointId, isFailing }))
}

/**
 * Attempts the due deliveries of an endpoint one after the other. Messages of one endpoint run in parallel, up to its
 * limit. After a failure, messages for the next attempts are sent; the sweep replaces those due in more than 12
 * hours.
 */
async function deliverDue(deps: Deps, { endpointId, isFailing }: Wake): Promise<void> {
	const { db, clock } = deps
	const endsAt = clock() + RUN_MS
	for (let made = 0; made < MAX_DELIVERIES && clock() < endsAt; made++) {
		const delivery = await deliveryStore(db).claimNext({ endpointId, isFailing }, clock())
		if (!delivery) return
		const endpoint = await endpointStore(db).findById(endpointId)
		// The endpoint was deleted with its deliveries in the meantime.
		if (!endpoint) return
		if (!(await deliver(deps, delivery, endpoint))) return
	}
	// More may be due.
	await wakeEndpointAt(deps, { endpointId, isFailing: false }, clock())
}

/** Makes one attempt, and returns whether the next delivery may follow at once. */
async function deliver(deps: Deps, delivery: DeliveryRow, endpoint: EndpointRow): Promise<boolean> {
	const { db, work, clock, log } = deps
	const { endpointId, eventId } = delivery
	const store = deliveryStore(db)
	const event = await eventStore(db).find(delivery.orgId, eventId, clock())
	if (!event) {
		// The event is older than 30 days.
		await store.giveBack(delivery, null, clock())
		return true
	}
	const startedAt = clock()
	let request: [body: string, headers: Record<string, string>]
	try {
		request = await composeDelivery(deps, endpoint, toEnvelope(event), startedAt)
	} catch (error) {
		log.error('webhook delivery could not be prepared', error, { endpointId, eventId })
		await store.giveBack(delivery, startedAt + INTERNAL_WAIT_MS, startedAt)
		return false
	}
	// Near the end of the lease, another consumer may soon send the same delivery and then a later event of the
	// resource. A request that begins now could arrive after both.
	if (startedAt + TIMEOUT_MS > (delivery.leaseUntil ?? 0)) return false
	const outcome = await attemptDelivery(deps, endpoint, ...request)
	incrementCounter(deps, attemptsMade, { outcome: outcome.problem === null ? 'delivered' : 'failed' })
	if (outcome.problem === null) {
		await store.recordSuccess(work, delivery, endpoint, outcome, { startedAt, now: clock() })
		return outcome.refusal === null
	}
	const attempt = delivery.attempts + 1
	log.info('webhook delivery failed', { endpointId, eventId, attempt, reason: outcome.problem })
	const at = { startedAt, now: clock(), random: Math.random() }
	for (const nextAt of await store.recordFailure(work, delivery, endpoint, outcome, at))
		await wakeEndpointAt(deps, { endpointId, isFailing: true }, nextAt)
	return false
}

export async function composeDelivery(
	deps: Deps,
	endpoint: EndpointRow,
	event: Omit<EventEnvelope, 'type'> & { type: string },
	now: number,
): Promise<[body: string, headers: Record<string, string>]> {
	const isThin = endpoint.payload === 'thin' && event.type !== 'webhook.test'
	const body = JSON.stringify(isThin ? toThinEvent(event) : event)
	const keys = await openSigningKeys(requireSecrets(deps, 'webhooks'), endpoint, now)
	return [body, await signHeaders(keys, { id: event.id, body, now })]
}

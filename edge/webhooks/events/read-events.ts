import type { EventEnvelope, PublicEventType } from '#schema/contract/platform/webhooks/public-events.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { EVENTS_KEPT_MS } from '../../platform/outbox/outbox.ts'
import { envelopeOf } from './envelope.ts'
import { eventStore } from './event-store.ts'

const POLL_MS = SECOND

type Question = {
	after: number
	types?: readonly PublicEventType[] | undefined
	limit: number
	wait: number
}

/** Returns the events after a sequence. Waits for the first one if there is none, until the caller disconnects. */
export async function readEvents(
	{ db, now, clock }: Deps,
	orgId: string,
	{ after, types = undefined, limit, wait }: Question,
	signal: AbortSignal,
): Promise<{ data: EventEnvelope[]; next: number }> {
	const endsAt = clock() + wait * SECOND
	for (let next = after; ; ) {
		const { events, newest } = await eventStore(db).listAfter(
			orgId,
			{ after: next, types: types ?? null, limit },
			now - EVENTS_KEPT_MS,
		)
		// Of a page that is not full, nothing before the newest event is left, even if `types` excluded that one.
		next = events.length === limit ? (events.at(-1)?.sequence ?? next) : Math.max(next, newest)
		if (events.length > 0 || clock() >= endsAt || signal.aborted)
			return { data: events.map(envelopeOf), next }
		await new Promise((done) => setTimeout(done, Math.min(POLL_MS, endsAt - clock())))
	}
}

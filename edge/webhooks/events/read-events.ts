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
	for (;;) {
		const rows = await eventStore(db).list(
			orgId,
			{ after, types: types ?? null, limit },
			now - EVENTS_KEPT_MS,
		)
		if (rows.length > 0 || clock() >= endsAt || signal.aborted)
			return { data: rows.map(envelopeOf), next: rows.at(-1)?.sequence ?? after }
		await new Promise((done) => setTimeout(done, Math.min(POLL_MS, endsAt - clock())))
	}
}

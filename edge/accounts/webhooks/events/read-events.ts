import type { EventEnvelope, PublicEventType } from '#schema/contract/public-events.ts'
import { tooManyRequestsError } from '../../../http/errors.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { toEnvelope } from './envelope.ts'
import { eventStore } from './event-store.ts'

const POLL_MS = SECOND
/** Concurrent long polls per organization and isolate. */
const MAX_WAITS = 20

type EventQuery = {
	after: number
	types?: readonly PublicEventType[] | undefined
	limit: number
	wait: number
}

const waits = new Map<string, number>()

/**
 * Returns the events after a sequence. Without any, waits for the first one until a timeout or a disconnect, which
 * Cloudflare reports and Miniflare does not.
 */
export async function readEvents(deps: Deps, orgId: string, query: EventQuery, signal: AbortSignal) {
	if (query.wait === 0) return readUntil(deps, orgId, query, deps.clock(), signal)
	const running = waits.get(orgId) ?? 0
	if (running >= MAX_WAITS) throw tooManyRequestsError(1)
	waits.set(orgId, running + 1)
	try {
		return await readUntil(deps, orgId, query, deps.clock() + query.wait * SECOND, signal)
	} finally {
		const others = (waits.get(orgId) ?? 1) - 1
		if (others > 0) waits.set(orgId, others)
		else waits.delete(orgId)
	}
}

async function readUntil(
	{ db, now, clock }: Deps,
	orgId: string,
	{ after, types, limit }: EventQuery,
	endsAt: number,
	signal: AbortSignal,
): Promise<{ data: EventEnvelope[]; next: number }> {
	const store = eventStore(db)
	for (let next = after; ; ) {
		const newest = await store.findNewestSequence(orgId)
		const range = { after: next, upTo: newest, types, limit }
		const events = newest > next ? await store.list(orgId, range, now) : []
		// A partial page contains all matching events up to the newest one, so the next call starts after that.
		next = events.length === limit ? (events.at(-1)?.sequence ?? next) : Math.max(next, newest)
		if (events.length > 0 || clock() >= endsAt || signal.aborted)
			return { data: events.map(toEnvelope), next }
		await new Promise((done) => setTimeout(done, Math.min(POLL_MS, endsAt - clock())))
	}
}

import type { PublicEventType } from '#schema/contract/public-events.ts'
import type { OrgCaller } from '../../../http/caller.ts'
import { openLiveStream } from '../../../http/live-streams/open-live-stream.ts'
import type { SentEvent } from '../../../http/live-streams/relay-messages.ts'
import type { Deps } from '../../../platform/deps.ts'
import { publishEvents } from '../../../platform/live-streams/live-streams-stub.ts'
import { toEnvelope } from './envelope.ts'
import { eventStore } from './event-store.ts'
import { listReadableTypes } from './readable-types.ts'

const TOPIC = 'events'
const PAGE = 100
/** A client that missed more reads everything again. */
const MAX_MISSED = 500

const nameOrgStreams = (orgId: string): string => `org-${orgId}`

/** Wakes the streams of organizations, which then read the new events from the log. At most one wake a second is sent. */
export async function wakeEventStreams(deps: Deps, orgIds: Iterable<string>): Promise<void> {
	for (const orgId of orgIds)
		await publishEvents(deps, nameOrgStreams(orgId), [
			{ topics: [TOPIC], type: 'recorded', data: {}, coalesce: TOPIC },
		])
}

/** Streams the events of an organization from the log, so that none is missed, repeated or out of order. */
export async function streamEvents(
	deps: Deps,
	caller: OrgCaller,
	asked: { types: readonly PublicEventType[] | undefined; after: number | null; address: string },
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	const orgId = caller.org.id
	const store = eventStore(deps.db)
	const types = listReadableTypes(caller, asked.types)
	let next = asked.after ?? (await store.findNewestSequence(orgId))
	const [holder, access] =
		caller.kind === 'key'
			? [`key:${caller.keyId}`, caller.keyId]
			: [`user:${caller.userId}`, caller.sessionId]

	async function readNew(laterMs: number): Promise<SentEvent[]> {
		const newest = await store.findNewestSequence(orgId)
		const sent: SentEvent[] = []
		while (newest > next) {
			const range = { after: next, upTo: newest, types, limit: PAGE }
			const events = await store.list(orgId, range, deps.now + laterMs)
			next = events.length === PAGE ? (events.at(-1)?.sequence ?? newest) : newest
			sent.push(...events.map((event) => ({ id: `${event.sequence}`, data: toEnvelope(event) })))
		}
		return sent
	}

	return openLiveStream(deps, {
		streams: nameOrgStreams(orgId),
		opening: { topics: [TOPIC], holder, access, address: asked.address, lastEventId: null },
		endsAt: caller.kind === 'key' ? Number.POSITIVE_INFINITY : caller.sessionExpiresAt,
		isStillAdmitted,
		async onMessage({ type }, laterMs) {
			if (type !== 'ready') return readNew(laterMs)
			const newest = await store.findNewestSequence(orgId)
			const isKnown = next <= newest && newest - next <= MAX_MISSED
			if (!isKnown) next = newest
			return [{ id: `${next}`, data: { type: isKnown ? 'ready' : 'reset' } }, ...(await readNew(laterMs))]
		},
	})
}

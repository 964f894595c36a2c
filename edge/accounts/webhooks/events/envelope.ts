import { type EventEnvelope, publicEvents } from '#schema/contract/public-events.ts'
import { toIso } from '../../../platform/clock.ts'
import type { PublicEventRow } from './event-store.ts'

/** Converts an event for receivers, without private fields of the payload. */
export const toEnvelope = ({ id, type, sequence, payload, createdAt }: PublicEventRow): EventEnvelope => ({
	id,
	type,
	timestamp: toIso(createdAt),
	sequence,
	data: publicEvents[type].data.parse(payload),
})

/** Keeps only the ids of `data`. */
export const toThinEvent = <Event extends { data: object }>(event: Event) => ({
	...event,
	data: Object.fromEntries(Object.entries(event.data).filter(([name]) => name.endsWith('Id'))),
})

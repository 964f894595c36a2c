import { z } from 'zod'
import { type AnyEvent, eventByType } from './events.ts'
import type { PublicDescription } from './kit/event.ts'
import { Timestamp } from './kit/fields.ts'

export type PublicEventType = Extract<AnyEvent, { public: object }>['name']

/**
 * The events that programs of an organization receive, with the data of each. Only administrators set up webhooks, so
 * these carry all types.
 */
export const publicEvents = Object.fromEntries(
	Object.values(eventByType).flatMap(({ name, payload, public: shown }) => {
		if (!shown) return []
		const fields = Object.entries(payload.shape).filter(([field]) => !shown.without?.includes(field))
		return [[name, { ...shown, data: z.object(Object.fromEntries(fields)) }]]
	}),
) as Record<PublicEventType, PublicDescription & { data: z.ZodObject }>

export const publicEventTypes = Object.keys(publicEvents) as [PublicEventType, ...PublicEventType[]]
export const PublicEventType = z.enum(publicEventTypes).meta({ id: 'EventType' })

/** The types that only administrators may read. */
export const adminEventTypes = publicEventTypes.filter((type) => publicEvents[type].auth === 'admin')

export const EventId = z.string().regex(/^evt_[0-9a-z]{26}$/)

const envelope = {
	id: EventId.meta({ description: 'The same in every delivery of the event; use it to ignore repetitions' }),
	timestamp: Timestamp,
	sequence: z.int().meta({
		description:
			'Counts the events of the organization without gaps. The events of one resource have the order in which they happened',
	}),
}

/** One event as programs receive it. */
export const EventEnvelope = z
	.object({
		...envelope,
		type: PublicEventType,
		data: z
			.record(z.string(), z.unknown())
			.meta({ description: 'See the webhooks of this document for the data of each type' }),
	})
	.meta({ id: 'Event' })
export type EventEnvelope = z.infer<typeof EventEnvelope>

/** Sent on request. It is not part of the event log. */
const testEvent = {
	summary: 'A test that an administrator requested; its sequence is 0',
	data: z.object({ message: z.string() }),
}

const bodyOf = (type: string, summary: string, data: z.ZodType) => ({
	type,
	summary,
	body: z.object({ ...envelope, type: z.literal(type), data }),
})

/** Adds the data that an endpoint with `payload: thin` gets: only ids. */
function withThin(data: z.ZodObject): z.ZodType {
	const fields = Object.entries(data.shape)
	const ids = fields.filter(([name]) => name.endsWith('Id'))
	return ids.length === fields.length ? data : z.union([data, z.object(Object.fromEntries(ids))])
}

/** Every event that an endpoint may receive, as the `webhooks` of the OpenAPI document. */
export const webhookBodies = [
	...Object.entries(publicEvents).map(([type, { summary, data }]) => bodyOf(type, summary, withThin(data))),
	bodyOf('webhook.test', testEvent.summary, testEvent.data),
]

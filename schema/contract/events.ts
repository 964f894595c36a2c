import type { z } from 'zod'
import { accountEvents } from './accounts/events.ts'
import { aiEvents } from './ai/events.ts'
import { communityEvents } from './community/events.ts'
import type { EventDescription, Urgency } from './kit/event.ts'
import { operationEvents } from './operations/events.ts'
import { videoEvents } from './video/events.ts'
import { watchEvents } from './watch/events.ts'

const events = [
	...videoEvents,
	...aiEvents,
	...watchEvents,
	...communityEvents,
	...accountEvents,
	...operationEvents,
] as const

export type AnyEvent = (typeof events)[number]
type OrgId<E> = E extends { org: 'none' } ? null : E extends { org: 'optional' } ? string | null : string
type Stored<E extends AnyEvent> = E extends AnyEvent
	? { type: E['name']; orgId: OrgId<E>; payload: z.infer<E['payload']> }
	: never

/** Domain events as stored in the outbox. */
export type DomainEvent = Stored<AnyEvent>
/** The fields that the outbox row adds to an event. */
export type Recorded = { id: string; createdAt: number }
export type EventType = AnyEvent['name']
export type EventByType<T extends EventType> = Extract<DomainEvent, { type: T }>
/** The event types that have a follower. */
export type FollowedType = Extract<AnyEvent, { urgency: Urgency }>['name']
type RevokingEventType = Extract<AnyEvent, { revokes: true }>['name']

const descriptions: readonly EventDescription[] = events

export const eventByType = Object.fromEntries(descriptions.map((event) => [event.name, event])) as Readonly<
	Record<EventType, EventDescription>
>
/** Revoking events, which are repeated on a restored database. */
export const revokingEvents = descriptions.filter(({ revokes }) => revokes).map(({ name }) => name) as [
	RevokingEventType,
	...RevokingEventType[],
]

/** The names of all personal fields of events. */
export const personalFields = [...new Set(descriptions.flatMap(({ personal = [] }) => personal))]

import { z } from 'zod'

/** Domain events, as they stand in the outbox. `orgId` is beside the payload. */
export const DomainEvent = z.discriminatedUnion('type', [
	z.object({ type: z.literal('org.created'), orgId: z.string(), payload: z.object({ userId: z.int() }) }),
	z.object({
		type: z.literal('org.member_invited'),
		orgId: z.string(),
		payload: z.object({ invitationId: z.string() }),
	}),
	z.object({
		type: z.literal('org.member_joined'),
		orgId: z.string(),
		payload: z.object({ userId: z.int(), role: z.string() }),
	}),
	z.object({
		type: z.literal('org.member_removed'),
		orgId: z.string(),
		payload: z.object({ userId: z.int() }),
	}),
	z.object({
		type: z.literal('community.created'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int() }),
	}),
	z.object({
		type: z.literal('community.member_joined'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int() }),
	}),
])
export type DomainEvent = z.infer<typeof DomainEvent>
export type EventType = DomainEvent['type']
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>

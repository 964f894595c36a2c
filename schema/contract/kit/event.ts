import type { z } from 'zod'

/** How soon the followers of an event must run, most urgent first. */
export const urgencies = ['job', 'mail', 'rest'] as const
export type Urgency = (typeof urgencies)[number]

export type EventDescription<Field extends string = string> = {
	readonly name: string
	/** The payload in the outbox. The organization has its own column there. */
	readonly payload: z.ZodObject
	/** `none` marks an event without followers: it is stored but never sent to the queue. */
	readonly urgency: Urgency | 'none'
	/** `none`: the event is about an account. `optional`: about a community, which may belong to no organization. */
	readonly org?: 'none' | 'optional'
	/**
	 * Fields that are removed once the event is done, unless it is public, because account deletion does not reach
	 * outbox rows.
	 */
	readonly personal?: readonly Field[]
	/** Set for a revoking event, which is repeated on a restored database. */
	readonly revokes?: true
	/**
	 * How the organization's programs receive the event, by webhook or `GET /v1/events`; otherwise they don't. Public
	 * fields name resources, and never contain text by viewers or members.
	 */
	readonly public?: PublicDescription<Field>
}

export type PublicDescription<Field extends string = string> = {
	readonly summary: string
	/**
	 * Who may read the event: the callers of `read` or of `admin` operations. `admin` is for what only an administrator
	 * can read elsewhere, such as the audit log, and for content of communities, which may be private.
	 */
	readonly auth: 'read' | 'admin'
	/** The field that names its resource. Endpoints that request it get the events of one resource in order. */
	readonly resource: Field
	/** Fields of the payload that are not public. */
	readonly without?: readonly Field[]
}

/** Declares a domain event: a fact that is recorded in the batch of the change. */
export const event = <
	const Shape extends z.ZodRawShape,
	const E extends EventDescription<keyof Shape & string> & { readonly payload: z.ZodObject<Shape> },
>(
	description: E & { readonly payload: z.ZodObject<Shape> },
): E => description

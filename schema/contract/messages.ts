import { z } from 'zod'

/** What travels through the background queue. Each may come twice; each has one consumer (edge/queue.ts). */
export const SendMail = z.object({
	type: z.literal('mail.send'),
	/** Also the idempotency key of the mail. */
	id: z.string(),
	to: z.string(),
	subject: z.string(),
	text: z.string(),
	html: z.string(),
})
export type SendMail = z.infer<typeof SendMail>

export const SendCode = z.object({
	type: z.literal('code.send'),
	id: z.string(),
	email: z.string(),
	code: z.string(),
	expiresAt: z.int(),
})
export type SendCode = z.infer<typeof SendCode>

export const EventHappened = z.object({ type: z.literal('event.happened'), id: z.string() })
export type EventHappened = z.infer<typeof EventHappened>

export const Message = z.discriminatedUnion('type', [SendMail, SendCode, EventHappened])
export type Message = z.infer<typeof Message>
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>

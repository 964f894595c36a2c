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
	/** Of a mail that somebody had sent to the address: where its reader refuses more of them, and who did gets none. */
	unsubscribeUrl: z.string().optional(),
})
export type SendMail = z.infer<typeof SendMail>

/** What a code is good for: signing in or up (where nothing else is said), verifying an account's address, changing it (one code for each address). */
export const CodePurpose = z.enum(['sign-in', 'verify', 'change-from', 'change-to'])
export type CodePurpose = z.infer<typeof CodePurpose>

export const SendCode = z.object({
	type: z.literal('code.send'),
	id: z.string(),
	email: z.string(),
	code: z.string(),
	expiresAt: z.int(),
	purpose: CodePurpose.optional(),
	/** Of a change of address: the one that is to become the account's. */
	newEmail: z.string().optional(),
})
export type SendCode = z.infer<typeof SendCode>

export const EventHappened = z.object({ type: z.literal('event.happened'), id: z.string() })
export type EventHappened = z.infer<typeof EventHappened>

/** More reminders are due than one run may claim. `at` is when the run was planned: what is due is judged by it. */
export const ClaimReminders = z.object({ type: z.literal('deletion.claim_reminders'), at: z.int() })
export type ClaimReminders = z.infer<typeof ClaimReminders>

export const SendReminder = z.object({
	type: z.literal('deletion.remind'),
	requestId: z.string(),
	kind: z.enum(['7_day', 'final']),
})
export type SendReminder = z.infer<typeof SendReminder>

export const ExecuteDeletion = z.object({ type: z.literal('deletion.execute'), requestId: z.string() })
export type ExecuteDeletion = z.infer<typeof ExecuteDeletion>

/** Sent while the address is still known, used once it is not: it rests nowhere but in the queue. */
export const SendFarewell = z.object({
	type: z.literal('deletion.farewell'),
	requestId: z.string(),
	email: z.string(),
})
export type SendFarewell = z.infer<typeof SendFarewell>

/** Objects of a prefix are to go; whether they still are is asked of the database. */
export const PurgeStorage = z.object({
	type: z.literal('storage.purge'),
	bucket: z.enum(['vault', 'media']),
	prefix: z.string().min(1),
})
export type PurgeStorage = z.infer<typeof PurgeStorage>

/** What hangs on a community that is gone. */
export const RemoveCommunity = z.object({ type: z.literal('community.remove'), communityId: z.int() })
export type RemoveCommunity = z.infer<typeof RemoveCommunity>

/** Something of a job was done: look for what is next. */
export const AdvanceJob = z.object({ type: z.literal('job.advance'), jobId: z.string() })
export type AdvanceJob = z.infer<typeof AdvanceJob>

/** Members are to be told of something; whether they still are stands on its row. */
export const TellMembers = z.object({
	type: z.literal('community.tell'),
	of: z.enum(['comment', 'reaction', 'event', 'place']),
	id: z.int(),
})
export type TellMembers = z.infer<typeof TellMembers>

/** Search is to know a post or a member as they are now; whether it does stands on the row. */
export const IndexContent = z.object({
	type: z.literal('community.index'),
	of: z.enum(['post', 'member']),
	id: z.int(),
})
export type IndexContent = z.infer<typeof IndexContent>

export const Message = z.discriminatedUnion('type', [
	SendMail,
	SendCode,
	EventHappened,
	ClaimReminders,
	SendReminder,
	ExecuteDeletion,
	SendFarewell,
	PurgeStorage,
	RemoveCommunity,
	AdvanceJob,
	TellMembers,
	IndexContent,
])
export type Message = z.infer<typeof Message>
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>

import { z } from 'zod'
import { urgencies } from './kit/event.ts'

/** The messages of the queues. Each may be delivered twice, and each type has one consumer (edge/queue.ts). */
export const SendMail = z.object({
	type: z.literal('mail.send'),
	/** Also the idempotency key of the mail. */
	id: z.string(),
	to: z.string(),
	subject: z.string(),
	text: z.string(),
	html: z.string(),
	/** Set if another user caused the mail: the recipient can unsubscribe there, and then gets no more of this kind. */
	unsubscribeUrl: z.string().optional(),
})
export type SendMail = z.infer<typeof SendMail>

/**
 * What a code may be used for: to sign in or up (the default), to verify the email address of an account, or to change
 * it (one code for each of the two addresses).
 */
export const CodePurpose = z.enum(['sign-in', 'verify', 'change-from', 'change-to'])
export type CodePurpose = z.infer<typeof CodePurpose>

export const SendCode = z.object({
	type: z.literal('code.send'),
	id: z.string(),
	email: z.string(),
	code: z.string(),
	expiresAt: z.int(),
	purpose: CodePurpose.optional(),
	/** Set for a change of address: the new address. */
	newEmail: z.string().optional(),
})
export type SendCode = z.infer<typeof SendCode>

export const EventHappened = z.object({
	type: z.literal('event.happened'),
	id: z.string(),
	urgency: z.enum(urgencies).optional(),
})
export type EventHappened = z.infer<typeof EventHappened>

/** More reminders are due than one run may claim. `at` is the planned time of the run, which decides what is due. */
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

/** Erases a managed person whose membership was removed. */
export const EraseManaged = z.object({ type: z.literal('deletion.erase_managed'), userId: z.int() })
export type EraseManaged = z.infer<typeof EraseManaged>

/** Carries the email address of a deleted account, which by then exists only in this message. */
export const SendFarewell = z.object({
	type: z.literal('deletion.farewell'),
	requestId: z.string(),
	email: z.string(),
})
export type SendFarewell = z.infer<typeof SendFarewell>

/** Deletes the objects under a prefix, if the database still has the purge as pending. */
export const PurgeStorage = z.object({
	type: z.literal('storage.purge'),
	bucket: z.enum(['vault', 'media']),
	prefix: z.string().min(1),
})
export type PurgeStorage = z.infer<typeof PurgeStorage>

/** Removes the dependent rows and objects of a deleted community. */
export const RemoveCommunity = z.object({ type: z.literal('community.remove'), communityId: z.int() })
export type RemoveCommunity = z.infer<typeof RemoveCommunity>

/** A task of a job ended, so the next step must be decided. */
export const AdvanceJob = z.object({ type: z.literal('job.advance'), jobId: z.string() })
export type AdvanceJob = z.infer<typeof AdvanceJob>

/** Notifies members, if `notify_at` on the source row is still set. */
export const NotifyMembers = z.object({
	type: z.literal('community.notify'),
	of: z.enum(['comment', 'reaction', 'event', 'place']),
	id: z.int(),
})
export type NotifyMembers = z.infer<typeof NotifyMembers>

/** Updates the search index for a post or member, if its row is still marked as changed. */
export const IndexContent = z.object({
	type: z.literal('community.index'),
	of: z.enum(['post', 'member']),
	id: z.int(),
})
export type IndexContent = z.infer<typeof IndexContent>

/** Deliveries of a webhook endpoint may be due. `isFailing` is set if its last attempt failed. */
export const DeliverWebhooks = z.object({
	type: z.literal('webhook.deliver'),
	endpointId: z.string(),
	isFailing: z.boolean(),
})
export type DeliverWebhooks = z.infer<typeof DeliverWebhooks>

/** A provider called about a transcription; its body is stored. */
export const AiCallback = z.object({
	type: z.literal('ai.callback'),
	callId: z.string(),
	deliveryId: z.string(),
})
export type AiCallback = z.infer<typeof AiCallback>

/** A provider is to transcribe a chunk, if its task is still due. */
export const TranscribeChunk = z.object({ type: z.literal('ai.transcribe'), taskId: z.string() })
export type TranscribeChunk = z.infer<typeof TranscribeChunk>

/** Chapters are due that a language model may make. It may take minutes. */
export const MakeChapters = z.object({
	type: z.literal('ai.chapters'),
	orgId: z.string(),
	assetId: z.string(),
})
export type MakeChapters = z.infer<typeof MakeChapters>

/** A part of a translation of subtitles is due. */
export const TranslateSubtitles = z.object({
	type: z.literal('subtitles.translate'),
	assetId: z.string(),
	language: z.string(),
})
export type TranslateSubtitles = z.infer<typeof TranslateSubtitles>
/** The subscription of an organization is to be compared with Stripe, and its usage reported. */
export const ReconcileBilling = z.object({ type: z.literal('billing.reconcile'), orgId: z.string() })
export type ReconcileBilling = z.infer<typeof ReconcileBilling>
/** The next step of a running backup. `attempt` is the last one that has begun; if another has, nothing happens. */
export const ContinueBackup = z.object({
	type: z.literal('backup.continue'),
	backupId: z.string(),
	attempt: z.int(),
})
export type ContinueBackup = z.infer<typeof ContinueBackup>
/** The next step of a trial restore, as for `backup.continue`. */
export const VerifyBackup = z.object({
	type: z.literal('backup.drill'),
	backupId: z.string(),
	attempt: z.int(),
})
export type VerifyBackup = z.infer<typeof VerifyBackup>

export const Message = z.discriminatedUnion('type', [
	SendMail,
	SendCode,
	EventHappened,
	ClaimReminders,
	SendReminder,
	ExecuteDeletion,
	EraseManaged,
	SendFarewell,
	PurgeStorage,
	RemoveCommunity,
	AdvanceJob,
	NotifyMembers,
	IndexContent,
	DeliverWebhooks,
	AiCallback,
	TranscribeChunk,
	MakeChapters,
	TranslateSubtitles,
	ReconcileBilling,
	ContinueBackup,
	VerifyBackup,
])
export type Message = z.infer<typeof Message>

type QueueName = 'BACKGROUND' | 'BULK' | 'WEBHOOKS' | 'WEBHOOK_RETRIES' | 'TRANSCRIPTIONS'

/**
 * BACKGROUND takes messages that a user waits for. BULK takes messages that may come in thousands. WEBHOOKS and
 * WEBHOOK_RETRIES take messages whose consumer waits for other servers. A receiver that fails delays neither mails and
 * videos nor other receivers. TRANSCRIPTIONS takes messages whose consumer waits for minutes.
 */
const queues = {
	'mail.send': 'BACKGROUND',
	'code.send': 'BACKGROUND',
	'event.happened': 'BACKGROUND',
	'deletion.claim_reminders': 'BULK',
	'deletion.remind': 'BULK',
	'deletion.execute': 'BULK',
	'deletion.erase_managed': 'BULK',
	'deletion.farewell': 'BACKGROUND',
	'job.advance': 'BACKGROUND',
	'storage.purge': 'BULK',
	'community.remove': 'BULK',
	'community.notify': 'BULK',
	'community.index': 'BULK',
	'webhook.deliver': 'WEBHOOKS',
	'ai.callback': 'BULK',
	'ai.transcribe': 'TRANSCRIPTIONS',
	'ai.chapters': 'TRANSCRIPTIONS',
	'subtitles.translate': 'TRANSCRIPTIONS',
	'billing.reconcile': 'BULK',
	'backup.continue': 'BULK',
	'backup.drill': 'BULK',
} as const satisfies Record<Message['type'], QueueName>

export function chooseQueue(message: Message): QueueName {
	if (message.type === 'event.happened' && message.urgency === 'rest') return 'BULK'
	if (message.type === 'webhook.deliver' && message.isFailing) return 'WEBHOOK_RETRIES'
	return queues[message.type]
}

export type MessageByType<T extends Message['type']> = Extract<Message, { type: T }>

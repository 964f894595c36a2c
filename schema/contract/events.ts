import { z } from 'zod'
import type { PublicEventType } from './public-events.ts'
import { Rendition } from './video/assets.ts'

/** Enough to name the asset in a notification after it was deleted. */
const assetPayload = z.object({ assetId: z.string(), playbackId: z.string(), title: z.string() })

const endpointPayload = z.object({ endpointId: z.string() })
const commentPayload = z.object({ assetId: z.string(), playbackId: z.string(), commentId: z.string() })

const translationPayload = z.object({ assetId: z.string(), language: z.string() })
export const SecondFactorChange = z.enum([
	'totp_added',
	'totp_removed',
	'passkey_added',
	'passkey_removed',
	'recovery_codes_replaced',
	'recovery_code_used',
	'reset',
])
export type SecondFactorChange = z.infer<typeof SecondFactorChange>

/** Domain events as stored in the outbox, where `orgId` has a column of its own. */
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
	/** A reason to suspend the organization was added. */
	z.object({
		type: z.literal('org.suspended'),
		orgId: z.string(),
		payload: z.object({ reason: z.string() }),
	}),
	/** Stripe says that something about the customer of the organization changed. */
	z.object({ type: z.literal('billing.changed'), orgId: z.string(), payload: z.object({}) }),
	z.object({
		type: z.literal('account.deletion_requested'),
		orgId: z.null(),
		payload: z.object({ requestId: z.string() }),
	}),
	z.object({
		type: z.literal('account.deletion_cancelled'),
		orgId: z.null(),
		payload: z.object({ requestId: z.string() }),
	}),
	z.object({
		type: z.literal('account.erased'),
		orgId: z.null(),
		payload: z.object({ requestId: z.string() }),
	}),
	/** A sign-in from a network or browser that is new for the account. */
	z.object({
		type: z.literal('account.signed_in_anew'),
		orgId: z.null(),
		payload: z.object({ userId: z.int(), ip: z.string(), userAgent: z.string() }),
	}),
	z.object({
		type: z.literal('account.password_changed'),
		orgId: z.null(),
		payload: z.object({ userId: z.int(), change: z.enum(['set', 'replaced', 'removed']) }),
	}),
	z.object({
		type: z.literal('account.email_changed'),
		orgId: z.null(),
		payload: z.object({ userId: z.int(), formerEmail: z.string() }),
	}),
	/** A change of what signs in to an account beside its password and mailed codes. */
	z.object({
		type: z.literal('account.second_factor_changed'),
		orgId: z.null(),
		payload: z.object({
			userId: z.int(),
			change: SecondFactorChange,
			/** The passkey that was removed. A restored database is compared with it. */
			passkeyId: z.string().optional(),
		}),
	}),
	z.object({
		type: z.literal('org.api_key_created'),
		orgId: z.string(),
		payload: z.object({ keyId: z.string() }),
	}),
	/** A webhook endpoint began to fail, fails for so long that it is disabled soon, or was disabled. */
	z.object({ type: z.literal('webhook.failing'), orgId: z.string(), payload: endpointPayload }),
	z.object({ type: z.literal('webhook.disabled_soon'), orgId: z.string(), payload: endpointPayload }),
	z.object({ type: z.literal('webhook.disabled'), orgId: z.string(), payload: endpointPayload }),
	z.object({ type: z.literal('asset.created'), orgId: z.string(), payload: assetPayload }),
	z.object({ type: z.literal('asset.uploaded'), orgId: z.string(), payload: assetPayload }),
	/** A job for the fleet was created. */
	z.object({
		type: z.literal('asset.queued'),
		orgId: z.string(),
		payload: assetPayload.extend({ jobId: z.string() }),
	}),
	/** The asset is playable; with early playback, this event comes with the first playable rendition. */
	z.object({
		type: z.literal('asset.playable'),
		orgId: z.string(),
		payload: assetPayload.extend({ jobId: z.string(), durationSec: z.number() }),
	}),
	z.object({
		type: z.literal('asset.rendition_ready'),
		orgId: z.string(),
		payload: z.object({
			assetId: z.string(),
			playbackId: z.string(),
			jobId: z.string(),
			rendition: Rendition,
		}),
	}),
	/** All renditions that the asset needs for playback are published. */
	z.object({
		type: z.literal('asset.ready'),
		orgId: z.string(),
		payload: assetPayload.extend({
			jobId: z.string(),
			durationSec: z.number(),
			renditions: z.array(Rendition),
		}),
	}),
	z.object({
		type: z.literal('asset.error'),
		orgId: z.string(),
		payload: assetPayload.extend({ jobId: z.string(), errorMessage: z.string() }),
	}),
	/** A machine ended a task of speech recognition, or failed at it for good. */
	z.object({
		type: z.literal('asset.speech_task_ended'),
		orgId: z.string(),
		payload: z.object({ assetId: z.string(), taskId: z.string() }),
	}),
	/** A machine made the clip of a highlight, or failed at it for good. */
	z.object({
		type: z.literal('asset.clip_ended'),
		orgId: z.string(),
		payload: z.object({ assetId: z.string(), taskId: z.string() }),
	}),
	/** The last of the steps that follow processing ended: transcript, subtitles, chapters, highlights. */
	z.object({ type: z.literal('ai.completed'), orgId: z.string(), payload: assetPayload }),
	z.object({ type: z.literal('ai.failed'), orgId: z.string(), payload: assetPayload }),
	/** A requested translation of subtitles is a track of the video, or failed for good. */
	z.object({ type: z.literal('subtitles.translated'), orgId: z.string(), payload: translationPayload }),
	z.object({
		type: z.literal('subtitles.translation_failed'),
		orgId: z.string(),
		payload: translationPayload,
	}),
	z.object({ type: z.literal('asset.deleted'), orgId: z.string(), payload: assetPayload }),
	/** The transcript has another version, or was removed. */
	z.object({
		type: z.literal('asset.transcript_replaced'),
		orgId: z.string(),
		payload: z.object({ assetId: z.string(), by: z.enum(['person', 'engine']) }),
	}),
	/** An entry of the audit log was sealed. */
	z.object({
		type: z.literal('audit.recorded'),
		orgId: z.string(),
		payload: z.object({
			auditEntryId: z.string(),
			action: z.string(),
			targetKind: z.string().nullable(),
			targetId: z.string().nullable(),
		}),
	}),
	z.object({
		type: z.literal('comment.created'),
		orgId: z.string(),
		payload: commentPayload,
	}),
	z.object({ type: z.literal('comment.deleted'), orgId: z.string(), payload: commentPayload }),
	z.object({
		type: z.literal('reaction.added'),
		orgId: z.string(),
		payload: z.object({ assetId: z.string(), playbackId: z.string(), emoji: z.string() }),
	}),
	z.object({
		type: z.literal('community.created'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int() }),
	}),
	z.object({
		type: z.literal('community.deleted'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int() }),
	}),
	z.object({
		type: z.literal('community.member_invited'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), invitationId: z.int() }),
	}),
	z.object({
		type: z.literal('community.member_joined'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int() }),
	}),
	/** A member who had left or was banned is active again. */
	z.object({
		type: z.literal('community.member_restored'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int() }),
	}),
	z.object({
		type: z.literal('community.member_left'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int() }),
	}),
	/** A membership was deleted. If it was active, `community.member_left` is recorded as well. */
	z.object({
		type: z.literal('community.member_removed'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int(), userId: z.int(), removedAt: z.int() }),
	}),
	z.object({
		type: z.literal('community.member_banned'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int() }),
	}),
	z.object({
		type: z.literal('community.post_created'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), postId: z.int() }),
	}),
	z.object({
		type: z.literal('community.post_deleted'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), postId: z.int() }),
	}),
	z.object({
		type: z.literal('community.post_hidden'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), postId: z.int() }),
	}),
	z.object({
		type: z.literal('community.post_restored'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), postId: z.int() }),
	}),
	z.object({
		type: z.literal('community.event_created'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), eventId: z.int() }),
	}),
	z.object({
		type: z.literal('community.event_deleted'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), eventId: z.int() }),
	}),
	z.object({
		type: z.literal('community.comment_created'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), postId: z.int(), commentId: z.int() }),
	}),
])
export type DomainEvent = z.infer<typeof DomainEvent>
/** The fields that the outbox row adds to an event. */
export type Recorded = { id: string; createdAt: number }
export type EventType = DomainEvent['type']
export type EventByType<T extends EventType> = Extract<DomainEvent, { type: T }>

/** How soon the followers of an event must run, most urgent first. */
export const urgencies = ['job', 'mail', 'rest'] as const
export type Urgency = (typeof urgencies)[number]

/** The urgency of each event. `none` marks an event without followers: it is stored but never sent to the queue. */
export const urgencyByType = {
	'org.created': 'none',
	'org.member_invited': 'mail',
	'org.member_joined': 'mail',
	'org.member_removed': 'none',
	'org.suspended': 'job',
	'org.api_key_created': 'mail',
	'billing.changed': 'mail',
	'account.deletion_requested': 'mail',
	'account.deletion_cancelled': 'mail',
	'account.erased': 'rest',
	'account.signed_in_anew': 'mail',
	'account.password_changed': 'mail',
	'account.email_changed': 'mail',
	'account.second_factor_changed': 'mail',
	'webhook.failing': 'mail',
	'webhook.disabled_soon': 'mail',
	'webhook.disabled': 'mail',
	'asset.created': 'none',
	'asset.uploaded': 'rest',
	'asset.queued': 'job',
	'asset.playable': 'none',
	'asset.rendition_ready': 'none',
	'asset.ready': 'job',
	'asset.speech_task_ended': 'job',
	'asset.clip_ended': 'job',
	'ai.completed': 'none',
	'ai.failed': 'none',
	'subtitles.translated': 'none',
	'subtitles.translation_failed': 'none',
	'asset.error': 'none',
	'asset.deleted': 'rest',
	'asset.transcript_replaced': 'rest',
	'audit.recorded': 'none',
	'comment.created': 'none',
	'comment.deleted': 'none',
	'reaction.added': 'none',
	'community.created': 'none',
	'community.deleted': 'none',
	'community.member_invited': 'mail',
	'community.member_joined': 'none',
	'community.member_restored': 'none',
	'community.member_left': 'rest',
	'community.member_removed': 'rest',
	'community.member_banned': 'rest',
	'community.post_created': 'none',
	'community.post_deleted': 'none',
	'community.post_hidden': 'none',
	'community.post_restored': 'none',
	'community.event_created': 'none',
	'community.event_deleted': 'none',
	'community.comment_created': 'none',
} as const satisfies Record<EventType, Urgency | 'none'>

/** The event types that have a follower in edge/queue.ts. */
export type FollowedType = {
	[T in EventType]: (typeof urgencyByType)[T] extends 'none' ? never : T
}[EventType]

/**
 * The public event of a domain event, and the field of the payload that names its resource. Events of one resource are
 * delivered in order to webhook endpoints that request it.
 */
export const publicEventByType = {
	'asset.created': { type: 'asset.created', resource: 'assetId' },
	'asset.uploaded': { type: 'asset.uploaded', resource: 'assetId' },
	'asset.queued': { type: 'asset.processing', resource: 'assetId' },
	'asset.playable': { type: 'asset.playable', resource: 'assetId' },
	'asset.rendition_ready': { type: 'asset.rendition.ready', resource: 'assetId' },
	'asset.ready': { type: 'asset.ready', resource: 'assetId' },
	'ai.completed': { type: 'ai.completed', resource: 'assetId' },
	'ai.failed': { type: 'ai.failed', resource: 'assetId' },
	'subtitles.translated': { type: 'subtitles.translated', resource: 'assetId' },
	'subtitles.translation_failed': { type: 'subtitles.translation_failed', resource: 'assetId' },
	'asset.error': { type: 'asset.error', resource: 'assetId' },
	'asset.deleted': { type: 'asset.deleted', resource: 'assetId' },
	'audit.recorded': { type: 'audit.recorded', resource: 'auditEntryId' },
	'comment.created': { type: 'comment.created', resource: 'commentId' },
	'comment.deleted': { type: 'comment.deleted', resource: 'commentId' },
	'reaction.added': { type: 'reaction.added', resource: 'assetId' },
	'community.member_joined': { type: 'member.joined', resource: 'memberId' },
	'community.member_restored': { type: 'member.joined', resource: 'memberId' },
	'community.member_left': { type: 'member.left', resource: 'memberId' },
	'community.member_banned': { type: 'member.left', resource: 'memberId' },
	'community.post_created': { type: 'post.created', resource: 'postId' },
	'community.event_created': { type: 'event.created', resource: 'eventId' },
} as const satisfies {
	[T in EventType]?: { type: PublicEventType; resource: keyof EventByType<T>['payload'] }
}

import { z } from 'zod'
import { Rendition } from './assets.ts'

/** Enough to tell of an asset that is gone already. */
const assetPayload = z.object({ assetId: z.string(), playbackId: z.string(), title: z.string() })

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
	/** From a network or with a browser that the account was not seen with before. */
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
	z.object({
		type: z.literal('org.api_key_created'),
		orgId: z.string(),
		payload: z.object({ keyId: z.string() }),
	}),
	z.object({ type: z.literal('asset.created'), orgId: z.string(), payload: assetPayload }),
	z.object({ type: z.literal('asset.uploaded'), orgId: z.string(), payload: assetPayload }),
	/** Work for the fleet. */
	z.object({
		type: z.literal('asset.queued'),
		orgId: z.string(),
		payload: assetPayload.extend({ jobId: z.string() }),
	}),
	/** It can be played; with early playback the first time that it can. */
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
	z.object({ type: z.literal('asset.deleted'), orgId: z.string(), payload: assetPayload }),
	z.object({
		type: z.literal('comment.created'),
		orgId: z.string(),
		payload: z.object({ assetId: z.string(), playbackId: z.string(), commentId: z.string() }),
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
	z.object({
		type: z.literal('community.member_left'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int() }),
	}),
	z.object({
		type: z.literal('community.member_removed'),
		orgId: z.string().nullable(),
		payload: z.object({ communityId: z.int(), memberId: z.int(), removedAt: z.int() }),
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
/** What its row in the outbox adds. */
export type Recorded = { id: string; createdAt: number }
export type EventType = DomainEvent['type']
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>

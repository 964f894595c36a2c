import { z } from 'zod'
import { AuditAction, TargetKind } from './accounts/audit/actions.ts'
import { Language } from './ai/subtitles/language.ts'
import { AssetId, AuditEntryId, CommentId, PlaybackId, Timestamp } from './kit/fields.ts'
import { Rendition } from './video/assets.ts'
import { REACTIONS } from './watch/reactions.ts'

const asset = { assetId: AssetId, playbackId: PlaybackId }
const titledAsset = { ...asset, title: z.string() }
const translation = z.object({ assetId: AssetId, language: Language })
const member = z.object({ communityId: z.int(), memberId: z.int() })

/**
 * Who may read an event in `GET /v1/events`: the callers of `read` or of `admin` operations. `admin` is for what only an
 * administrator can read elsewhere, such as the audit log, and for content of communities, which may be private.
 */
type EventAuth = 'read' | 'admin'

/**
 * The events that programs of an organization receive, by webhook or from `GET /v1/events`, with the data of each.
 * They name resources, and never contain text that a viewer or member wrote. Only administrators set up webhooks, so
 * these carry all types.
 */
export const publicEvents = {
	'asset.created': {
		auth: 'read',
		summary: 'An asset was created; it has no source yet',
		data: z.object(titledAsset),
	},
	'asset.uploaded': {
		auth: 'read',
		summary: 'The source of an asset is stored',
		data: z.object(titledAsset),
	},
	'asset.processing': {
		auth: 'read',
		summary: 'Processing of an asset was requested',
		data: z.object(titledAsset),
	},
	'asset.playable': {
		auth: 'read',
		summary: 'An asset can be played. With early playback, more renditions follow until `asset.ready`',
		data: z.object({ ...titledAsset, durationSec: z.number() }),
	},
	'asset.rendition.ready': {
		auth: 'read',
		summary: 'A rendition of an asset can be played',
		data: z.object({ ...asset, rendition: Rendition }),
	},
	'asset.ready': {
		auth: 'read',
		summary: 'All renditions that an asset needs for playback are ready. HEVC and AV1 may still follow',
		data: z.object({ ...titledAsset, durationSec: z.number(), renditions: z.array(Rendition) }),
	},
	'ai.completed': {
		auth: 'read',
		summary: 'Transcript, subtitles, chapters and highlights of an asset are done, or were skipped',
		data: z.object(titledAsset),
	},
	'ai.failed': {
		auth: 'read',
		summary: 'The transcript, subtitles, chapters or highlights of an asset failed; the asset still plays',
		data: z.object(titledAsset),
	},
	'subtitles.translated': {
		auth: 'read',
		summary: 'A translation of subtitles that was requested is a track of the asset',
		data: translation,
	},
	'subtitles.translation_failed': {
		auth: 'read',
		summary: 'A translation of subtitles failed; the list of subtitles says why',
		data: translation,
	},
	'asset.error': {
		auth: 'read',
		summary: 'Processing of an asset failed',
		data: z.object({ ...titledAsset, errorMessage: z.string() }),
	},
	'asset.deleted': { auth: 'read', summary: 'An asset was deleted', data: z.object(titledAsset) },
	'comment.created': {
		auth: 'read',
		summary: 'A viewer commented on a video',
		data: z.object({ ...asset, commentId: CommentId }),
	},
	'comment.deleted': {
		auth: 'read',
		summary: 'A comment on a video was deleted',
		data: z.object({ ...asset, commentId: CommentId }),
	},
	'reaction.added': {
		auth: 'read',
		summary: 'A viewer reacted to a video',
		data: z.object({ ...asset, emoji: z.enum(REACTIONS) }),
	},
	'member.joined': { auth: 'read', summary: 'A person joined a community', data: member },
	'member.left': {
		auth: 'read',
		summary: 'A member left a community, or was removed or banned',
		data: member,
	},
	'post.created': {
		auth: 'admin',
		summary: 'A post was published in a community',
		data: z.object({ communityId: z.int(), postId: z.int() }),
	},
	'event.created': {
		auth: 'admin',
		summary: 'An event was created in a community',
		data: z.object({ communityId: z.int(), eventId: z.int() }),
	},
	'audit.recorded': {
		auth: 'admin',
		summary: 'An entry was added to the audit log of the organization, at most two minutes ago',
		data: z.object({
			auditEntryId: AuditEntryId,
			action: AuditAction,
			targetKind: TargetKind.nullable(),
			targetId: z.string().nullable(),
		}),
	},
} as const satisfies Record<string, { auth: EventAuth; summary: string; data: z.ZodObject }>

export type PublicEventType = keyof typeof publicEvents
export const publicEventTypes = Object.keys(publicEvents) as [PublicEventType, ...PublicEventType[]]
export const PublicEventType = z.enum(publicEventTypes)

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

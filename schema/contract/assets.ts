import { z } from 'zod'
import { AudioConfig } from './audio.ts'
import { AssetId, CollectionId, data, JobId, PlaybackId, queryInt, Timestamp } from './fields.ts'
import { operation } from './operation.ts'
import { PageQuery } from './page.ts'

const tag = 'Assets'
export const AssetParams = z.object({ assetId: AssetId })

export const AssetStatus = z.enum(['created', 'uploaded', 'queued', 'processing', 'ready', 'error'])
export type AssetStatus = z.infer<typeof AssetStatus>

const Title = z.string().trim().min(1).max(255)
const Description = z.string().trim().max(5_000)

/** Texts of the organization's own; nothing here looks at them. */
const Metadata = z
	.record(z.string().min(1).max(64), z.string().max(255))
	.refine((entries) => Object.keys(entries).length <= 10, 'at most 10 entries')

export const PublicSettings = z
	.object({
		allowDownload: z.boolean(),
		showTranscript: z.boolean(),
		showChapters: z.boolean(),
		showHighlights: z.boolean(),
		showComments: z.boolean(),
	})
	.meta({ id: 'PublicSettings', description: 'What viewers may see and do' })
export type PublicSettings = z.infer<typeof PublicSettings>

export const standardPublicSettings: PublicSettings = {
	allowDownload: false,
	showTranscript: true,
	showChapters: true,
	showHighlights: true,
	showComments: true,
}

export const Visibility = z.enum(['public', 'unlisted', 'signed']).meta({
	description:
		'`public` and `unlisted` play for anyone who has the playback id, and only `public` may be shown in lists; `signed` plays with a playback token only',
})

const asset = {
	id: AssetId,
	title: z.string(),
	description: z.string().nullable(),
	status: AssetStatus,
	playbackId: PlaybackId,
	collectionId: CollectionId.nullable(),
	durationSec: z.number().nonnegative().meta({ description: '0 until the source was looked into' }),
	thumbnailUrl: z.string().meta({
		description:
			'Always leads to a picture: the custom one, else a frame of the video, else one that stands for none. It changes when the picture does.',
	}),
	hasCustomThumbnail: z.boolean(),
	errorMessage: z.string().optional().meta({ description: 'There while `status` is `error`' }),
	visibility: Visibility,
	metadata: z.record(z.string(), z.string()),
	publicSettings: PublicSettings,
	createdAt: Timestamp,
	updatedAt: Timestamp,
}

export const AssetSummary = z.object(asset).meta({ id: 'AssetSummary' })
export type AssetSummary = z.infer<typeof AssetSummary>

export const Rendition = z
	.object({
		quality: z.string(),
		width: z.int(),
		height: z.int(),
		bitrateKbps: z.int(),
		codec: z.string(),
	})
	.meta({ id: 'Rendition' })
export type Rendition = z.infer<typeof Rendition>

const AssetJob = z
	.object({
		id: JobId,
		status: z.enum(['queued', 'processing', 'completed', 'failed', 'cancelled']),
		workerKind: z
			.string()
			.meta({ description: 'Of the machine that worked on it last; `none` before one did' }),
		hwAccelUsed: z.boolean(),
		progress: z.int().min(0).max(100),
		estimatedSecondsLeft: z.int().nonnegative().nullable(),
		errorMessage: z.string().nullable(),
		leftOut: z.array(z.object({ codec: z.string(), reason: z.string() })).meta({
			description: 'Codecs beside H.264 that were asked for and are not made after all',
		}),
		createdAt: Timestamp,
		startedAt: Timestamp.nullable(),
		endedAt: Timestamp.nullable(),
	})
	.meta({ id: 'AssetJob' })
export type AssetJob = z.infer<typeof AssetJob>

const AssetAiJob = z
	.object({
		status: z.string(),
		transcriptionStatus: z.string(),
		subtitlesStatus: z.string(),
		chaptersStatus: z.string(),
		highlightsStatus: z.string(),
	})
	.meta({ id: 'AssetAiJob' })

const Highlight = z
	.object({ id: z.string(), title: z.string(), description: z.string() })
	.meta({ id: 'Highlight' })

export const Asset = z
	.object({
		...asset,
		renditions: z.array(Rendition),
		currentStep: z.string().nullable().meta({
			description:
				'What the job is at: `fetching` (of an imported source), `inspecting`, `encoding`, `packaging`, `stills`, `finishing`; null when nothing runs',
		}),
		job: AssetJob.nullable().meta({ description: 'The latest job; null for an asset never processed' }),
		aiJob: AssetAiJob.nullable(),
		highlights: z.array(Highlight),
		audioConfig: AudioConfig,
	})
	.meta({ id: 'Asset' })
export type Asset = z.infer<typeof Asset>

export const createAsset = operation({
	id: 'createAsset',
	method: 'post',
	path: '/v1/assets',
	tag,
	summary: 'Create an asset, to upload a video to',
	auth: 'write',
	idempotent: true,
	body: z.object({ title: Title, metadata: Metadata.optional() }),
	status: 201,
	response: data(z.object({ id: AssetId, playbackId: PlaybackId, status: z.literal('created') })),
})

export const listAssets = operation({
	id: 'listAssets',
	method: 'get',
	path: '/v1/assets',
	tag,
	summary: 'Assets of the organization, newest first',
	auth: 'read',
	query: PageQuery.extend({
		collectionId: z
			.union([CollectionId, z.literal('none')])
			.optional()
			.meta({ description: 'Only those of this collection; `none` for those that are in no collection' }),
	}),
	paged: true,
	status: 200,
	response: data(z.array(AssetSummary)),
})

export const searchAssets = operation({
	id: 'searchAssets',
	method: 'get',
	path: '/v1/assets/search',
	tag,
	summary: 'Find assets by title and description, newest first',
	description:
		'Finds assets that have all words of `q`, in title or description, also as beginnings of longer words, whatever their case and accents. If there are none, those that hold `q` as it stands anywhere. Without `q` all are found.',
	auth: 'read',
	query: z.object({
		q: z.string().max(200).default(''),
		status: AssetStatus.optional(),
		limit: queryInt(1, 100, 20),
		offset: queryInt(0, 100_000_000, 0),
	}),
	status: 200,
	response: data(
		z
			.object({
				items: z.array(AssetSummary),
				total: z.int().nonnegative(),
				limit: z.int(),
				offset: z.int(),
			})
			.meta({ id: 'AssetSearch' }),
	),
})

export const getAsset = operation({
	id: 'getAsset',
	method: 'get',
	path: '/v1/assets/{assetId}',
	tag,
	summary: 'One asset with its renditions, job and highlights',
	auth: 'read',
	params: AssetParams,
	status: 200,
	response: data(Asset),
	errors: ['not_found'],
})

export const updateAsset = operation({
	id: 'updateAsset',
	method: 'patch',
	path: '/v1/assets/{assetId}',
	tag,
	summary: 'Change what is said about an asset, or its collection',
	description:
		'Settings that are not named stay as they are; `metadata` is replaced as a whole. 404 also for a collection that does not exist.',
	auth: 'write',
	params: AssetParams,
	body: z
		.object({
			title: Title,
			description: Description.nullable(),
			visibility: Visibility,
			publicSettings: PublicSettings.partial(),
			metadata: Metadata,
			collectionId: CollectionId.nullable(),
		})
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'nothing to change'),
	status: 200,
	response: data(Asset),
	errors: ['not_found', 'not_configured'],
})

export const deleteAsset = operation({
	id: 'deleteAsset',
	method: 'delete',
	path: '/v1/assets/{assetId}',
	tag,
	summary: 'Delete an asset and everything stored for it, for good',
	auth: 'write',
	params: AssetParams,
	status: 200,
	response: data(z.object({ id: AssetId, deleted: z.literal(true) })),
	errors: ['not_found'],
})

export const MAX_THUMBNAIL_BYTES = 10 * 1024 ** 2

const Thumbnail = z
	.object({ thumbnailUrl: z.string(), hasCustomThumbnail: z.boolean() })
	.meta({ id: 'Thumbnail' })

export const setThumbnail = operation({
	id: 'setThumbnail',
	method: 'put',
	path: '/v1/assets/{assetId}/thumbnail',
	tag,
	summary: 'Choose a picture: JPG, PNG or WebP',
	description:
		'The body is the picture itself. The type is detected from the content. 50 million pixels at most, 16,384 on a side.',
	auth: 'write',
	params: AssetParams,
	takesBytes: { type: 'image/*', maxBytes: MAX_THUMBNAIL_BYTES },
	status: 200,
	response: data(Thumbnail),
	errors: ['validation', 'not_found', 'conflict'],
})

export const resetThumbnail = operation({
	id: 'resetThumbnail',
	method: 'delete',
	path: '/v1/assets/{assetId}/thumbnail',
	tag,
	summary: 'Go back to the frame that was made of the video',
	auth: 'write',
	params: AssetParams,
	status: 200,
	response: data(Thumbnail),
	errors: ['not_found', 'conflict'],
})

export const createPlaybackToken = operation({
	id: 'createPlaybackToken',
	method: 'post',
	path: '/v1/assets/{assetId}/playback-token',
	tag,
	summary: 'A token that lets a viewer play a signed asset',
	description:
		'Goes as `token` into the queries of public playback. Of audience `v` it opens the video with all that belongs to it, of `t` its picture only, of `s` its storyboard only (the small pictures along the time line).',
	auth: 'read',
	params: AssetParams,
	body: z.object({
		audience: z.enum(['v', 't', 's']).default('v'),
		expiresInSec: z.int().min(60).max(604_800).default(3_600),
	}),
	bodyOptional: true,
	status: 200,
	response: data(z.object({ token: z.string(), expiresAt: Timestamp })),
	errors: ['not_found', 'not_configured'],
})

export const revokePlaybackTokens = operation({
	id: 'revokePlaybackTokens',
	method: 'delete',
	path: '/v1/assets/{assetId}/playback-token',
	tag,
	summary: 'Revoke every playback token of this asset',
	description:
		'Revokes tokens of every audience, including those in manifest and picture URLs. Takes effect within 60 seconds everywhere. Tokens that are made afterwards work. Addresses of downloads end 15 minutes after they were handed out.',
	auth: 'write',
	params: AssetParams,
	status: 200,
	response: data(z.object({ id: AssetId, revoked: z.literal(true) })),
	errors: ['not_found'],
})

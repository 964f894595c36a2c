import { z } from 'zod'
import {
	AssetId,
	CollectionId,
	data,
	foreignId,
	HighlightId,
	Instant,
	JobId,
	Line,
	PlaybackId,
	queryInt,
	Timestamp,
} from '../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../kit/headers/entity-tag.ts'
import { describeOperations } from '../kit/operation.ts'
import { PageQuery } from '../kit/page.ts'
import { AudioConfig } from './audio.ts'
import { ProcessOptions } from './processing/process-options.ts'

const operation = describeOperations('Assets')
export const AssetParams = z.object({ assetId: AssetId })

export const AssetStatus = z.enum(['created', 'uploaded', 'queued', 'processing', 'ready', 'error'])
export type AssetStatus = z.infer<typeof AssetStatus>

const Title = Line.min(1).max(255)
const Description = z.string().trim().max(5_000)

/** Texts for the organization's own use; the platform does not interpret them. */
const Metadata = z
	.record(foreignId(64), z.string().max(255))
	.refine((entries) => Object.keys(entries).length <= 10, 'must have at most 10 entries')

export const PublicSettings = z
	.object({
		allowDownload: z.boolean(),
		showTranscript: z.boolean(),
		showChapters: z.boolean(),
		showHighlights: z.boolean(),
		showComments: z.boolean(),
	})
	.meta({ id: 'PublicSettings', description: 'What viewers may see and do with an asset' })
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
		'`public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token',
})

export const ThumbnailFrame = z
	.object({
		atSec: z.number().nonnegative().meta({ description: 'Seconds from the beginning of the video' }),
		status: z.enum(['processing', 'ready', 'failed']).meta({
			description: 'While `processing`, and after `failed`, the earlier thumbnail is shown',
		}),
	})
	.meta({ id: 'ThumbnailFrame' })
export type ThumbnailFrame = z.infer<typeof ThumbnailFrame>

const asset = {
	id: AssetId,
	title: z.string(),
	description: z.string().nullable(),
	status: AssetStatus,
	playbackId: PlaybackId,
	collectionId: CollectionId.nullable(),
	durationSec: z.number().nonnegative().meta({ description: '0 until the source was inspected' }),
	width: z.int().positive().nullable().meta({
		description:
			'The displayed width of the largest rendition; null before processing, and for audio without video',
	}),
	height: z.int().positive().nullable(),
	sourceSizeBytes: z
		.int()
		.nonnegative()
		.nullable()
		.meta({ description: 'The size of the stored source; null until there is one' }),
	thumbnailUrl: z.string().meta({
		description:
			'Always the URL of an image: the custom thumbnail, else a frame of the video, else a fallback image. The URL changes with the image.',
	}),
	hasCustomThumbnail: z.boolean(),
	thumbnailFrame: ThumbnailFrame.nullable().meta({
		description:
			'The last frame that was requested as the custom thumbnail; null if there was none, or an upload or a removal of the thumbnail followed',
	}),
	placeholder: z.string().nullable().meta({
		description:
			'A ThumbHash of a frame of the video, in Base64: a blurred image to show until the thumbnail has loaded',
	}),
	watchUrl: z.string().meta({
		description:
			'The page of the video. It plays once the asset is ready; a signed asset also needs `?token=`',
	}),
	embedUrl: z.string().meta({ description: 'The player alone, for an `iframe`' }),
	errorMessage: z.string().optional().meta({ description: 'Present while `status` is `error`' }),
	visibility: Visibility,
	metadata: z.record(z.string(), z.string()),
	publicSettings: PublicSettings,
	createdAt: Timestamp,
	updatedAt: Timestamp,
}

export const AssetSummary = z
	.object({
		...asset,
		thumbnailUrl: asset.thumbnailUrl.nullable().meta({
			description: 'The URL of the image, as in `Asset`; null in the trash, where nothing is served',
		}),
		watchUrl: asset.watchUrl.nullable().meta({ description: 'The page of the video; null in the trash' }),
		embedUrl: asset.embedUrl
			.nullable()
			.meta({ description: 'The player alone, for an `iframe`; null in the trash' }),
		thumbnailSmallUrl: z.string().nullable().meta({
			description:
				'Like `thumbnailUrl`, for an image that is at most 320 pixels wide where the installation can make it',
		}),
		progress: z.int().min(0).max(100).nullable().meta({
			description: 'Percent of the running job; null if no job is running',
		}),
		captions: z
			.array(z.string())
			.meta({ description: 'The language tags of the subtitles; `und` if unknown' }),
		views: z.int().nonnegative().nullable().meta({
			description:
				'The views of all time. A session counts some minutes after its end. null if analytics are not set up',
		}),
		trashedAt: Timestamp.optional().meta({
			description: 'When the asset was moved to the trash; present only in the trash',
		}),
		deleteAt: Timestamp.optional().meta({
			description: 'When an asset in the trash is deleted permanently; present only in the trash',
		}),
	})
	.meta({ id: 'AssetSummary' })
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

export const AssetJob = z
	.object({
		id: JobId,
		status: z.enum(['queued', 'processing', 'completed', 'failed', 'cancelled']),
		workerKind: z
			.string()
			.meta({ description: 'The kind of the machine that last worked on the job; `none` before that' }),
		hwAccelUsed: z.boolean(),
		progress: z.int().min(0).max(100),
		estimatedSecondsLeft: z.int().nonnegative().nullable(),
		errorMessage: z.string().nullable(),
		leftOut: z.array(z.object({ codec: z.string(), reason: z.string() })).meta({
			description: 'Codecs besides H.264 that were requested but not encoded',
		}),
		createdAt: Timestamp,
		startedAt: Timestamp.nullable(),
		endedAt: Timestamp.nullable(),
	})
	.meta({ id: 'AssetJob' })
export type AssetJob = z.infer<typeof AssetJob>

export const AiStep = z.enum(['transcription', 'subtitles', 'chapters', 'highlights'])
export type AiStep = z.infer<typeof AiStep>
const AiStatus = z.enum(['pending', 'processing', 'completed', 'failed', 'skipped'])
export type AiStatus = z.infer<typeof AiStatus>

export const AssetAiJob = z
	.object({
		status: AiStatus,
		transcriptionStatus: AiStatus,
		subtitlesStatus: AiStatus,
		chaptersStatus: AiStatus,
		highlightsStatus: AiStatus,
		reasons: z.partialRecord(AiStep, z.string()).meta({
			description: 'Why steps failed or were skipped',
		}),
	})
	.meta({ id: 'AssetAiJob' })
export type AssetAiJob = z.infer<typeof AssetAiJob>

export const HighlightReason = z.enum(['emphasis', 'topic', 'pace', 'pause', 'rewatch'])
export type HighlightReason = z.infer<typeof HighlightReason>

export const Highlight = z
	.object({
		id: HighlightId,
		title: z.string(),
		description: z.string(),
		startTime: z.number().nonnegative().meta({ description: 'Seconds from the beginning of the video' }),
		endTime: z.number().positive(),
		score: z.number().min(0).max(1).meta({
			description:
				'How much the part stands out in its video by what is said, and by what viewers watch again',
		}),
		reasons: z.array(HighlightReason).meta({
			description:
				'What it has more of than the rest of the video: questions, exclamations, numbers and words of stress; words of the topic; words in a second; silence before it; viewers who watch it again',
		}),
		status: z.enum(['processing', 'ready', 'failed']).meta({ description: 'The state of the clip' }),
	})
	.meta({ id: 'Highlight' })
export type Highlight = z.infer<typeof Highlight>

export const Asset = z
	.object({
		...asset,
		renditions: z.array(Rendition),
		currentStep: z.string().nullable().meta({
			description:
				'The current step of the job: `fetching` (for an imported source), `inspecting`, `encoding`, `packaging`, `stills` or `finishing`; null if no job is running',
		}),
		job: AssetJob.nullable().meta({ description: 'The latest job; null if the asset was never processed' }),
		aiJob: AssetAiJob.nullable().meta({ description: 'null until the asset was ready for the first time' }),
		highlights: z.array(Highlight).meta({ description: 'In the order of the video' }),
		audioConfig: AudioConfig,
	})
	.meta({ id: 'Asset' })
export type Asset = z.infer<typeof Asset>

/** The fields of an asset that callers may set. */
const writable = {
	title: Title,
	description: Description.nullable(),
	visibility: Visibility,
	publicSettings: PublicSettings.partial(),
	metadata: Metadata,
	collectionId: CollectionId.nullable(),
}

const newAsset = z
	.object(writable)
	.partial()
	.extend({
		title: Title,
		visibility: Visibility.default('public'),
		process: z.literal('whenUploaded').optional().meta({
			description:
				'Processes the asset as soon as its source is stored, by any kind of upload or import. If processing is refused then, such as by a limit of the tier, the asset stays `uploaded`: call `processAsset` later',
		}),
		processOptions: ProcessOptions.optional(),
	})

type Processing = Pick<z.output<typeof newAsset>, 'process' | 'processOptions'>

const canProcess = ({ process, processOptions }: Processing) => process !== undefined || !processOptions
const processMissing = { path: ['processOptions'], message: 'needs process: "whenUploaded"' }

/** The fields of a new asset: those of an update, a required title, the source and the processing. */
export const NewAsset = newAsset.refine(canProcess, processMissing)
export type NewAsset = z.output<typeof NewAsset>

export const SourceUrl = z.string().trim().min(1).max(2_048)

export const createAsset = operation({
	id: 'createAsset',
	method: 'post',
	path: '/v1/assets',
	summary: 'Create an asset',
	description:
		'Afterwards, upload or import its source. With `sourceUrl`, the source is imported as by `importSource`, and the asset is `uploaded` at once; with `process: "whenUploaded"` as well, no further call is needed. Omitted settings get their defaults. Returns 404 for a collection that does not exist.',
	auth: 'write',
	audit: 'none: content',
	whenSuspended: 'no new work',
	body: newAsset.extend({ sourceUrl: SourceUrl.optional() }).refine(canProcess, processMissing),
	status: 201,
	response: data(
		z.object({ id: AssetId, playbackId: PlaybackId, status: AssetStatus.extract(['created', 'uploaded']) }),
	),
	errors: ['not_configured', 'not_found', 'plan_limit'],
})

/** A query parameter with one or several values, separated by commas. */
const anyOf = <Values extends z.core.util.EnumLike>(values: z.ZodEnum<Values>) =>
	z
		.string()
		.max(200)
		.transform((text) => text.split(',') as z.input<typeof values>[])
		.pipe(z.array(values))

const CollectionFilter = z
	.union([CollectionId, z.literal('none')])
	.meta({ description: 'Only assets in this collection; `none` for assets without a collection' })

/** Filters of lists of assets. An asset must pass all of them. */
export const AssetFilter = z
	.object({
		q: z.string().trim().max(200).meta({
			description:
				'Only assets whose title and description, or whose transcript, contain every word, or a longer word that starts with it; in a transcript, words of one or two letters match alone. Text without letters and digits is searched as a substring',
		}),
		status: anyOf(AssetStatus).meta({ description: 'One or several, separated by commas' }),
		visibility: anyOf(Visibility).meta({ description: 'One or several, separated by commas' }),
		collectionId: CollectionFilter,
		hasCaptions: z.enum(['true', 'false']),
		createdAfter: Instant.meta({ description: 'Only assets created at this time or later' }),
		createdBefore: Instant.meta({ description: 'Only assets created before this time' }),
	})
	.partial()
export type AssetFilter = z.output<typeof AssetFilter>

export const AssetSort = z.enum([
	'created',
	'-created',
	'updated',
	'-updated',
	'title',
	'-title',
	'duration',
	'-duration',
	'size',
	'-size',
])
export type AssetSort = z.infer<typeof AssetSort>

export const listAssets = operation({
	id: 'listAssets',
	method: 'get',
	path: '/v1/assets',
	summary: 'List the assets of the organization',
	description:
		'`trashed=true` lists the assets in the trash, most recently trashed first, and takes no other filters or sort. A page may have fewer assets than `limit`, or none, although more follow: each call examines a limited number of assets. Only the last page has no `X-Next-Cursor`. A cursor is valid only with the `sort` that it came from.',
	auth: 'read',
	impersonation: 'read',
	query: PageQuery.extend({
		...AssetFilter.shape,
		trashed: z
			.enum(['true', 'false'])
			.optional()
			.meta({ description: '`true` lists the trash instead of the library' }),
		sort: AssetSort.default('-created').meta({
			description:
				'`-` sorts in descending order. Titles are sorted without regard to the case of A to Z. An unknown duration or size counts as 0',
		}),
		// Contains a title.
		cursor: z.string().max(2_048).optional(),
	}).refine(
		({ trashed, sort, limit: _, cursor: __, ...filter }) =>
			trashed !== 'true' ||
			(sort === '-created' && Object.values(filter).every((value) => value === undefined)),
		'trashed=true takes no other filters and no sort; remove them',
	),
	paged: true,
	response: data(z.array(AssetSummary)),
})

const AssetCount = z.object({
	count: z.int().nonnegative(),
	hasMore: z.boolean().meta({ description: 'The count stopped; more assets may match' }),
})

/** Where a count of assets stops. */
export const MAX_COUNTED = 10_000

export const countAssets = operation({
	id: 'countAssets',
	method: 'get',
	path: '/v1/assets/counts',
	summary: 'Count the assets of the organization by status',
	description:
		'Takes the filters of the list. Each count stops at 10,000. With a filter other than `status`, `createdAfter` and `createdBefore`, at most 10,000 assets are examined, and `hasMore` is then true for every status.',
	auth: 'read',
	impersonation: 'read',
	query: AssetFilter,
	response: data(z.record(AssetStatus, AssetCount).meta({ id: 'AssetCounts' })),
})
export type AssetCounts = z.output<typeof countAssets.response>['data']

const AssetMatch = z.object({
	startSec: z.number().nonnegative().meta({ description: 'Seconds from the beginning of the video' }),
	text: z.string(),
})
export type AssetMatch = z.infer<typeof AssetMatch>

export const searchAssets = operation({
	id: 'searchAssets',
	method: 'get',
	path: '/v1/assets/search',
	summary: 'Search assets by title, description and spoken words, newest first',
	description:
		'Finds assets whose title and description, or whose transcript, contain every word of `q`, or a longer word that starts with it; in a transcript, words of one or two letters match alone. Assets in which the words follow each other come first on a page. With `q` in quotation marks, `matches` has only such moments. Case and accents are ignored. If no asset matches, finds assets that contain `q` as a substring. Without `q`, returns all assets.',
	auth: 'read',
	impersonation: 'read',
	query: z.object({
		q: z.string().max(200).default(''),
		status: AssetStatus.optional(),
		limit: queryInt(1, 100, 20),
		offset: queryInt(0, 100_000_000, 0),
	}),
	response: data(
		z
			.object({
				items: z.array(
					AssetSummary.extend({
						matches: z.array(AssetMatch).meta({
							description:
								'Up to five moments in which `q` is said: where its words follow each other, or else the segments of the transcript that have the most of them. Only the ten newest transcripts of a page are searched for moments.',
						}),
					}),
				),
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
	summary: 'Get an asset with its renditions, job and highlights',
	auth: 'read',
	impersonation: 'read',
	params: AssetParams,
	...returnsEtag,
	response: data(Asset),
	errors: ['not_found'],
})

export const updateAsset = operation({
	id: 'updateAsset',
	method: 'patch',
	path: '/v1/assets/{assetId}',
	summary: 'Update an asset',
	description:
		'Omitted fields and settings keep their values; `metadata` is replaced as a whole. Also returns 404 for a collection that does not exist.',
	auth: 'write',
	audit: 'none: content',
	params: AssetParams,
	...takesIfMatch,
	body: z
		.object(writable)
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(Asset),
	errors: ['not_found', 'not_configured'],
})

export const deleteAsset = operation({
	id: 'deleteAsset',
	method: 'delete',
	path: '/v1/assets/{assetId}',
	summary: 'Delete an asset and its files permanently, or move the asset to the trash',
	description:
		'Without `trash`, the deletion is permanent, even if the asset is in the trash. With `trash=true`, the asset disappears from lists, searches and counts. Its operations return 404, except this one and `restoreAsset`. Playback stops within 60 seconds; download URLs that were already returned work for up to 15 minutes more. The asset is deleted permanently after 30 days, and counts as storage until then. With `trash=true`, returns 409 while the asset is being processed or its subtitles are being translated; a repeated call keeps `deleteAt`.',
	auth: 'write',
	audit: 'none: content',
	params: AssetParams,
	query: z.object({ trash: z.enum(['true', 'false']).optional() }),
	response: data(
		z.object({
			id: AssetId,
			deleted: z.boolean().meta({ description: 'false if the asset is in the trash' }),
			deleteAt: Timestamp.optional().meta({
				description: 'When the asset will be deleted permanently; present only with `trash=true`',
			}),
		}),
	),
	errors: ['not_found', 'conflict'],
})

export const restoreAsset = operation({
	id: 'restoreAsset',
	method: 'post',
	path: '/v1/assets/{assetId}/restore',
	summary: 'Restore an asset from the trash',
	description:
		'The asset keeps everything except a collection that was deleted meanwhile, and plays again. AI steps that the move to the trash stopped start again. Returns an asset that is not in the trash unchanged.',
	auth: 'write',
	audit: 'none: content',
	params: AssetParams,
	response: data(Asset),
	errors: ['not_found'],
})

export const MAX_THUMBNAIL_BYTES = 10 * 1024 ** 2

export const Thumbnail = z
	.object({
		thumbnailUrl: z.string(),
		hasCustomThumbnail: z.boolean(),
		thumbnailFrame: ThumbnailFrame.nullable(),
	})
	.meta({ id: 'Thumbnail' })

export const setThumbnail = operation({
	id: 'setThumbnail',
	method: 'put',
	path: '/v1/assets/{assetId}/thumbnail',
	summary: 'Upload a custom thumbnail: JPG, PNG or WebP',
	description:
		'The body is the image itself, with at most 50 million pixels and 16,384 on each side. The type is detected from the content. Returns 400 for other types and for a damaged image. EXIF data such as location and camera, XMP, IPTC, text comments and data after the image are removed before it is stored; orientation and color profile are kept.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: AssetParams,
	takesBytes: { type: 'image/*', maxBytes: MAX_THUMBNAIL_BYTES },
	response: data(Thumbnail),
	errors: ['validation', 'not_found', 'conflict'],
})

export const resetThumbnail = operation({
	id: 'resetThumbnail',
	method: 'delete',
	path: '/v1/assets/{assetId}/thumbnail',
	summary: 'Remove the custom thumbnail and use a frame of the video',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: AssetParams,
	response: data(Thumbnail),
	errors: ['not_found', 'conflict'],
})

export const createPlaybackToken = operation({
	id: 'createPlaybackToken',
	method: 'post',
	path: '/v1/assets/{assetId}/playback-token',
	summary: 'Create a playback token for a signed asset',
	description:
		'Send it as the query parameter `token` of the public playback operations. A token with the audience `v` allows the video with all its files, `t` only the thumbnail, `s` only the storyboard (the thumbnails for seeking).',
	auth: 'read',
	audit: 'none: short-lived token',
	params: AssetParams,
	body: z.object({
		audience: z.enum(['v', 't', 's']).default('v'),
		expiresInSec: z.int().min(60).max(604_800).default(3_600),
	}),
	bodyOptional: true,
	response: data(z.object({ token: z.string(), expiresAt: Timestamp })),
	errors: ['not_found', 'not_configured'],
})

export const revokePlaybackTokens = operation({
	id: 'revokePlaybackTokens',
	method: 'delete',
	path: '/v1/assets/{assetId}/playback-token',
	summary: 'Revoke every playback token of an asset',
	description:
		'Revokes the tokens of every audience, including those in manifest and image URLs. Takes effect everywhere within 60 seconds. Tokens that are created afterwards work. Download URLs that were already returned work for 15 minutes after that.',
	auth: 'write',
	audit: 'playback_tokens.revoked',
	params: AssetParams,
	response: data(z.object({ id: AssetId, revoked: z.literal(true) })),
	errors: ['not_found'],
})

import { z } from 'zod'
import { Subtitles } from '../ai/subtitles/subtitles.ts'
import { AssetId, data, PlaybackId, ThumbHash, ViewerToken } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { imageWidthQuery } from '../kit/queries/image-width.ts'
import { AssetParams, PublicSettings } from '../video/assets.ts'
import { Branding } from './settings/branding.ts'

const operation = describeOperations('Public playback')
const PlaybackParams = z.object({ playbackId: PlaybackId })

const url = z.string().meta({ description: 'An absolute URL' })

export const PlaybackRecord = z
	.object({
		playbackId: PlaybackId,
		manifestUrl: url.meta({ description: 'URL of the HLS multivariant playlist' }),
		thumbnailUrl: url,
		title: z.string(),
		description: z.string().nullable(),
		durationSec: z.number().nonnegative(),
		width: z.int().positive().nullable().meta({
			description: 'Width of the largest rendition in pixels; null for audio without video',
		}),
		height: z.int().positive().nullable().meta({
			description: 'Height of the largest rendition in pixels; null for audio without video',
		}),
		aspectRatio: z
			.string()
			.regex(/^\d+:\d+$/)
			.nullable()
			.meta({
				description:
					'Such as `16:9` or `9:16`: the exact ratio, or a well-known one within 1 % of it; null for audio without video',
			}),
		placeholder: ThumbHash.nullable().meta({
			description:
				'A blurred picture to show until the image at `thumbnailUrl` is loaded: its ThumbHash in base64. null for audio, for custom thumbnails, and for videos that were processed before there were placeholders',
		}),
		storyboardUrl: url.nullable().meta({
			description:
				'URL of the WebVTT file that lists thumbnails for seeking; null until it exists, and for audio without video',
		}),
		canEdit: z.boolean().meta({ description: 'Whether the caller may change the asset' }),
		publicSettings: PublicSettings,
		settings: Branding,
		audio: z.object({
			codec: z.string().meta({ description: '`none` for a video without sound' }),
			bitrateKbps: z.int(),
			sampleRate: z.int(),
			channels: z.int(),
		}),
		ai: z.object({
			status: z.string().meta({ description: '`none` until AI processing has results' }),
			subtitlesUrl: z.string().nullable().meta({
				description: 'WebVTT in the language of the transcript, or in the first language of `subtitles`',
			}),
			srtSubtitlesUrl: z.string().nullable(),
			chaptersUrl: z.string().nullable(),
			transcriptUrl: z.string().nullable(),
			language: z.string().nullable(),
			subtitles: z
				.array(Subtitles.extend({ url, srtUrl: url }))
				.meta({ description: 'The subtitles that viewers can choose, at most one for each language' }),
		}),
	})
	.meta({ id: 'PlaybackRecord' })
export type PlaybackRecord = z.infer<typeof PlaybackRecord>

export const getPlayback = operation({
	id: 'getPlayback',
	method: 'get',
	path: '/v1/playback/{playbackId}',
	summary: 'Get everything that a player needs to play an asset',
	description:
		'Returns 404 unless the asset is `ready`, and 403 for a `signed` asset without its playback token. Changes may take a minute to be visible everywhere.',
	auth: 'viewer',
	impersonation: 'read',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ token: ViewerToken }),
	answerHeaders: z.object({
		link: z.string().optional().meta({
			description:
				'Two links with `rel="preview"`: a short animated preview (`type="image/webp"`), and a storyboard that lists thumbnails for seeking (WebVTT, `type="text/vtt"`)',
		}),
	}),
	response: data(PlaybackRecord),
	errors: ['not_found', 'forbidden'],
})

export const getAssetPlayback = operation({
	id: 'getAssetPlayback',
	method: 'get',
	path: '/v1/assets/{assetId}/playback',
	tag: 'Assets',
	summary: 'Get the playback URLs of an asset',
	description: 'Returns 409 until the asset is `ready`.',
	auth: 'read',
	impersonation: 'read',
	params: AssetParams,
	response: data(
		z
			.object({ assetId: AssetId, playbackId: PlaybackId, manifestUrl: url, thumbnailUrl: url })
			.meta({ id: 'AssetPlayback' }),
	),
	errors: ['not_found', 'conflict'],
})

export const getThumbnail = operation({
	id: 'getThumbnail',
	method: 'get',
	path: '/v1/playback/{playbackId}/thumbnail',
	summary: 'Get the thumbnail of an asset',
	description:
		'`thumbnailUrl` points here. `v` identifies one version of the image, so that caches may keep it for long; use it as it is in `thumbnailUrl`.',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ v: z.string().max(64).optional(), token: ViewerToken, w: imageWidthQuery }),
	answersWith: 'image/*',
	errors: ['not_found', 'forbidden'],
})

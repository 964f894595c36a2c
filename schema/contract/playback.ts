import { z } from 'zod'
import { AssetParams, PublicSettings } from './assets.ts'
import { AssetId, data, PlaybackId, ViewerToken } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Public playback'
const PlaybackParams = z.object({ playbackId: PlaybackId })

const url = z.string().meta({ description: 'An absolute address' })

export const PlaybackRecord = z
	.object({
		playbackId: PlaybackId,
		manifestUrl: url.meta({ description: 'HLS master manifest' }),
		thumbnailUrl: url,
		title: z.string(),
		description: z.string().nullable(),
		durationSec: z.number().nonnegative(),
		canEdit: z.boolean().meta({ description: 'Whether the caller may change the asset' }),
		publicSettings: PublicSettings,
		settings: z.object({
			primaryColor: z.string().regex(/^#[0-9a-f]{6}$/),
			theme: z.string(),
			logoUrl: z.string().nullable(),
		}),
		audio: z.object({
			codec: z.string().meta({ description: '`none` for a video without sound' }),
			bitrateKbps: z.int(),
			sampleRate: z.int(),
			channels: z.int(),
		}),
		ai: z.object({
			status: z.string().meta({ description: '`none` while there is nothing of it' }),
			subtitlesUrl: z.string().nullable(),
			srtSubtitlesUrl: z.string().nullable(),
			chaptersUrl: z.string().nullable(),
			transcriptUrl: z.string().nullable(),
			language: z.string().nullable(),
		}),
	})
	.meta({ id: 'PlaybackRecord' })
export type PlaybackRecord = z.infer<typeof PlaybackRecord>

export const getPlayback = operation({
	id: 'getPlayback',
	method: 'get',
	path: '/v1/playback/{playbackId}',
	tag,
	summary: 'What a player needs to play an asset',
	description:
		'Only while the asset is `ready`; 404 otherwise. 403 for a `signed` asset without a playback token for it. A change may take a minute to be seen everywhere.',
	auth: 'viewer',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ token: ViewerToken }),
	status: 200,
	answerHeaders: z.object({
		link: z.string().optional().meta({
			description:
				'With `rel="preview"`: a few moments as an animated WebP (`type="image/webp"`), and a storyboard, WebVTT that names small pictures along the time line (`type="text/vtt"`)',
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
	summary: 'How an asset of the organization is played',
	description: '409 while the asset is not `ready`.',
	auth: 'read',
	params: AssetParams,
	status: 200,
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
	tag,
	summary: 'The picture of an asset',
	description:
		'Where `thumbnailUrl` leads. `v` names one picture, so that it may be kept for long: leave it as it is in `thumbnailUrl`.',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ v: z.string().max(64).optional(), token: ViewerToken }),
	status: 200,
	answersWith: 'image/*',
	errors: ['not_found', 'forbidden'],
})

import { z } from 'zod'
import { data, PlaybackId, ViewerToken } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { AssetParams } from './assets.ts'

const operation = describeOperations('Assets')

const PlaybackParams = z.object({ playbackId: PlaybackId })

const Download = z
	.object({
		downloadUrl: z.string().meta({ description: 'Valid for 15 minutes; supports range requests' }),
		fileSizeBytes: z.int().nonnegative(),
		filename: z.string().meta({ description: 'A file name, made from the title' }),
	})
	.meta({ id: 'Download' })

const Quality = z
	.string()
	.regex(/^[\w-]{1,32}$/)
	.optional()
	.meta({
		description:
			'`source` for the uploaded file, `best` for the best MP4, or the `quality` of an H.264 rendition (`720p`). The default is the source, or the best MP4 if the source is not kept. The MP4s are created after the asset becomes ready, the best one first.',
	})

const assetDownload = { tag: 'Assets', auth: 'read', params: AssetParams, status: 200 } as const
const publicDownload = {
	tag: 'Public playback',
	auth: 'viewer',
	anyOrigin: true,
	params: PlaybackParams,
} as const

export const downloadAsset = operation({
	...assetDownload,
	id: 'downloadAsset',
	method: 'get',
	path: '/v1/assets/{assetId}/download',
	summary: 'Get a download URL of the source or an MP4',
	description: 'Returns 404 if the rendition does not exist or its file is not ready.',
	query: z.object({ quality: Quality }),
	response: data(Download),
	errors: ['not_found', 'not_configured'],
})

export const downloadAudio = operation({
	...assetDownload,
	id: 'downloadAudio',
	method: 'get',
	path: '/v1/assets/{assetId}/audio',
	summary: 'Get a download URL of the playback audio',
	description: 'Returns 404 until the file is ready, and for a video without sound.',
	response: data(Download),
	errors: ['not_found', 'not_configured'],
})

export const downloadAiAudio = operation({
	...assetDownload,
	id: 'downloadAiAudio',
	method: 'get',
	path: '/v1/assets/{assetId}/ai-audio',
	summary: 'Get a download URL of the audio for speech recognition',
	description: 'Returns 404 until the file is ready, and for a video without sound.',
	response: data(Download),
	errors: ['not_found', 'not_configured'],
})

export const downloadVideo = operation({
	...publicDownload,
	id: 'downloadVideo',
	method: 'get',
	path: '/v1/playback/{playbackId}/download',
	summary: 'Get a download URL of a video',
	description:
		'Returns 403 if `allowDownload` is off for the asset, or if a `signed` asset is requested without its playback token. Returns 404 until the asset is `ready`.',
	query: z.object({ quality: Quality, token: ViewerToken }),
	response: data(Download),
	errors: ['not_found', 'forbidden', 'not_configured'],
})

export const downloadVideoAudio = operation({
	...publicDownload,
	id: 'downloadVideoAudio',
	method: 'get',
	path: '/v1/playback/{playbackId}/audio',
	summary: 'Get a download URL of the audio of a video',
	description:
		'Returns 403 if `allowDownload` is off for the asset, or if a `signed` asset is requested without its playback token. Returns 404 until the asset is `ready`, and for a video without sound.',
	query: z.object({ token: ViewerToken }),
	response: data(Download),
	errors: ['not_found', 'forbidden', 'not_configured'],
})

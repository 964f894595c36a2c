import { z } from 'zod'
import { AssetParams } from './assets.ts'
import { data, PlaybackId, ViewerToken } from './fields.ts'
import { operation } from './operation.ts'

const PlaybackParams = z.object({ playbackId: PlaybackId })

const Download = z
	.object({
		downloadUrl: z.string().meta({ description: 'GET it within 15 minutes, as it is; ranges work' }),
		fileSizeBytes: z.int().nonnegative(),
		filename: z.string().meta({ description: 'What the file is saved as: made of the title' }),
	})
	.meta({ id: 'Download' })

const Quality = z
	.string()
	.regex(/^[\w-]{1,32}$/)
	.optional()
	.meta({
		description:
			'`source` for the file that was uploaded, `best` for the best MP4, or the `quality` of an H.264 rendition (`720p`): those are the ones that every program opens. Without it the source, or the best MP4 where no source is kept. MP4s are made when the asset is ready already, the best first.',
	})

const ofAsset = { tag: 'Assets', auth: 'read', params: AssetParams, status: 200 } as const
const ofVideo = {
	tag: 'Public playback',
	auth: 'viewer',
	anyOrigin: true,
	params: PlaybackParams,
	status: 200,
} as const

export const downloadAsset = operation({
	...ofAsset,
	id: 'downloadAsset',
	method: 'get',
	path: '/v1/assets/{assetId}/download',
	summary: 'An address to download the source or an MP4 from',
	description: '404 for a rendition that does not exist, and while there is no file.',
	query: z.object({ quality: Quality }),
	response: data(Download),
	errors: ['not_found', 'not_configured'],
})

export const downloadAudio = operation({
	...ofAsset,
	id: 'downloadAudio',
	method: 'get',
	path: '/v1/assets/{assetId}/audio',
	summary: 'An address to download the playback audio from',
	description: '404 until processing has made it, and for a video without sound.',
	response: data(Download),
	errors: ['not_found', 'not_configured'],
})

export const downloadAiAudio = operation({
	...ofAsset,
	id: 'downloadAiAudio',
	method: 'get',
	path: '/v1/assets/{assetId}/ai-audio',
	summary: 'An address to download the audio for speech recognition from',
	description: '404 until processing has made it, and for a video without sound.',
	response: data(Download),
	errors: ['not_found', 'not_configured'],
})

export const downloadVideo = operation({
	...ofVideo,
	id: 'downloadVideo',
	method: 'get',
	path: '/v1/playback/{playbackId}/download',
	summary: 'An address to download the video from',
	description:
		'403 unless the asset’s `allowDownload` is on, and for a `signed` asset without a playback token for it; 404 while it is not `ready`.',
	query: z.object({ quality: Quality, token: ViewerToken }),
	response: data(Download),
	errors: ['not_found', 'forbidden', 'not_configured'],
})

export const downloadVideoAudio = operation({
	...ofVideo,
	id: 'downloadVideoAudio',
	method: 'get',
	path: '/v1/playback/{playbackId}/audio',
	summary: 'An address to download the audio of a video from',
	description:
		'403 unless the asset’s `allowDownload` is on, and for a `signed` asset without a playback token for it; 404 while it is not `ready`, and for a video without sound.',
	query: z.object({ token: ViewerToken }),
	response: data(Download),
	errors: ['not_found', 'forbidden', 'not_configured'],
})

import { z } from 'zod'
import { data } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { VideoCodec } from '../video/tasks.ts'

const tag = 'Settings'

export const EncodingSettings = z
	.object({
		codecs: z.array(VideoCodec).meta({ description: 'Always contains `h264`, which every player supports' }),
	})
	.meta({ id: 'EncodingSettings', description: 'How the videos of an organization are encoded' })
export type EncodingSettings = z.infer<typeof EncodingSettings>

export const getEncodingSettings = operation({
	id: 'getEncodingSettings',
	method: 'get',
	path: '/v1/settings/encoding',
	tag,
	summary: 'Get the encoding settings of the organization',
	auth: 'read',
	status: 200,
	response: data(EncodingSettings),
})

const Codecs = z
	.array(VideoCodec)
	.max(VideoCodec.options.length)
	.refine((codecs) => codecs.includes('h264'), 'must contain h264, which every player supports')
	.refine((codecs) => new Set(codecs).size === codecs.length, 'must not repeat a codec')

export const updateEncodingSettings = operation({
	id: 'updateEncodingSettings',
	method: 'patch',
	path: '/v1/settings/encoding',
	tag,
	summary: 'Choose the video codecs: H.264, and optionally HEVC and AV1',
	description:
		'Applies to assets that are processed from now on; process an asset again to change its codecs. HEVC and AV1 each take as much work as H.264, but never delay a video. The asset becomes `ready` with its H.264 renditions, and the others are added while `job.status` is still `processing`. Codecs that no machine can encode are left out (`job.leftOut`).',
	auth: 'admin',
	body: z
		.object({ codecs: Codecs })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	status: 200,
	response: data(EncodingSettings),
})

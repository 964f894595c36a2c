import { z } from 'zod'
import { data } from './fields.ts'
import { operation } from './operation.ts'
import { VideoCodec } from './tasks.ts'

const tag = 'Settings'

export const EncodingSettings = z
	.object({
		codecs: z.array(VideoCodec).meta({ description: 'Always with `h264`, which every player knows' }),
	})
	.meta({ id: 'EncodingSettings', description: 'How the videos of an organization are made' })
export type EncodingSettings = z.infer<typeof EncodingSettings>

export const getEncodingSettings = operation({
	id: 'getEncodingSettings',
	method: 'get',
	path: '/v1/settings/encoding',
	tag,
	summary: 'What the videos of the organization are made in',
	auth: 'read',
	status: 200,
	response: data(EncodingSettings),
})

const Codecs = z
	.array(VideoCodec)
	.max(VideoCodec.options.length)
	.refine((codecs) => codecs.includes('h264'), 'h264 cannot be left out: it is what every player knows')
	.refine((codecs) => new Set(codecs).size === codecs.length, 'names a codec twice')

export const updateEncodingSettings = operation({
	id: 'updateEncodingSettings',
	method: 'patch',
	path: '/v1/settings/encoding',
	tag,
	summary: 'Choose what videos are made in: H.264, and HEVC and AV1 beside it',
	description:
		'Applies to what is processed from then on; process an asset again to give it other codecs. HEVC and AV1 take as much work as H.264 each and never keep a video waiting: it turns `ready` with its H.264 renditions, gains the others while `job.status` still is `processing`, and does without those that no machine can make (`job.leftOut`).',
	auth: 'admin',
	body: z
		.object({ codecs: Codecs })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'nothing to change'),
	status: 200,
	response: data(EncodingSettings),
})

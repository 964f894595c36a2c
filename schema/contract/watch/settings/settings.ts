import { z } from 'zod'
import { data, Line } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { VideoCodec } from '../../video/tasks.ts'
import { Branding, NewColor, PlayerDefaults, Theme } from './branding.ts'

const operation = describeOperations('Settings')

export const EncodingSettings = z
	.object({
		codecs: z.array(VideoCodec).meta({ description: 'Always contains `h264`, which every player supports' }),
	})
	.meta({ id: 'EncodingSettings', description: 'How the videos of an organization are encoded' })
export type EncodingSettings = z.infer<typeof EncodingSettings>

/** `anonymous` stores neither where a viewer comes from nor a mark that tells visitors apart. */
const Collected = z.enum(['full', 'anonymous', 'nothing'])

export const AnalyticsSettings = z
	.object({
		collect: Collected.meta({
			description:
				'What is stored about playback sessions. `anonymous`: no country, no referrer, no browser, and visitors are not told apart. `nothing`: reports of players are dropped.',
		}),
		onDoNotTrack: Collected.meta({
			description:
				'The same for viewers whose browser sends `DNT: 1` or `Sec-GPC: 1`, unless `collect` stores less',
		}),
		showLiveCount: z.boolean().meta({ description: 'Whether players show how many people watch' }),
	})
	.meta({ id: 'AnalyticsSettings', description: 'What is measured about viewers' })
export type AnalyticsSettings = z.infer<typeof AnalyticsSettings>

export const Settings = Branding.extend({
	player: PlayerDefaults,
	allowedEmbedDomains: z.array(z.string()).meta({
		description:
			'Hosts whose pages may embed videos: `example.org` is that host, `*.example.org` its subdomains. An empty list allows every page.',
	}),
	analytics: AnalyticsSettings,
	encoding: EncodingSettings,
}).meta({ id: 'Settings', description: 'The settings of an organization' })
export type Settings = z.infer<typeof Settings>

export const getSettings = operation({
	id: 'getSettings',
	method: 'get',
	path: '/v1/settings',
	summary: 'Get the settings of the organization',
	auth: 'read',
	impersonation: 'read',
	...returnsEtag,
	response: data(Settings),
	errors: ['not_found'],
})

export const MAX_EMBED_DOMAINS = 50

export const updateSettings = operation({
	id: 'updateSettings',
	method: 'patch',
	path: '/v1/settings',
	summary: 'Change the branding, the player defaults, the analytics and the hosts that may embed videos',
	description:
		'Fields that are left out keep their value. `logoUrl: null` removes the logo; PUT /v1/settings/logo uploads one. The codecs have their own operation, PATCH /v1/settings/encoding. Players see changes within 60 seconds.',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: 'settings.updated',
	...takesIfMatch,
	body: z
		.object({
			primaryColor: NewColor,
			theme: Theme,
			logoUrl: z.null('can only be null; upload a logo with PUT /v1/settings/logo'),
			player: PlayerDefaults.partial(),
			analytics: AnalyticsSettings.partial(),
			allowedEmbedDomains: z.array(Line.max(255)).max(MAX_EMBED_DOMAINS).meta({
				description:
					'Host names such as `example.org` or `*.example.org`, without scheme, port and path. Other scripts are converted to Punycode, and repeated hosts are dropped.',
			}),
		})
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(Settings),
	errors: ['not_found'],
})

export const getEncodingSettings = operation({
	id: 'getEncodingSettings',
	method: 'get',
	path: '/v1/settings/encoding',
	summary: 'Get the encoding settings of the organization',
	auth: 'read',
	impersonation: 'read',
	...returnsEtag,
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
	summary: 'Choose the video codecs: H.264, and optionally HEVC and AV1',
	description:
		'Applies to assets that are processed from now on; process an asset again to change its codecs. HEVC and AV1 each take as much work as H.264, but never delay a video. The asset becomes `ready` with its H.264 renditions, and the others are added while `job.status` is still `processing`. Codecs that no machine can encode are left out (`job.leftOut`).',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: 'settings.updated',
	impersonation: 'write',
	...takesIfMatch,
	body: z
		.object({ codecs: Codecs })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(EncodingSettings),
})

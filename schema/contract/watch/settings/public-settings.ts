import { z } from 'zod'
import { data, PlaybackId, ViewerToken } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { slugSchema } from '../../kit/slug.ts'
import { Branding, PlayerDefaults } from './branding.ts'

const operation = describeOperations('Public playback')

export const TextColor = z.enum(['#000000', '#ffffff'])
export type TextColor = z.infer<typeof TextColor>

export const PublicOrgSettings = Branding.extend({
	textOnPrimary: TextColor.meta({
		description:
			'The color for text on `primaryColor`: black or white, whichever has the higher contrast, which is at least 4.5:1',
	}),
	player: PlayerDefaults,
	frameAncestors: z.string().meta({
		description:
			'The value of the directive `frame-ancestors` in the `Content-Security-Policy` of a page with the player: `*`, or the hosts that may embed it',
	}),
}).meta({ id: 'PublicOrgSettings', description: 'What a player needs to know about an organization' })
export type PublicOrgSettings = z.infer<typeof PublicOrgSettings>

export const getPublicSettings = operation({
	id: 'getPublicSettings',
	method: 'get',
	path: '/v1/settings/public',
	summary: 'Get the branding and player defaults of an organization',
	description:
		'Names the organization by its slug, or by one of its videos. Returns 404 for a video that is not `ready`, or that is `signed` unless `token` is a playback token for it. Changes may take a minute to be visible everywhere.',
	auth: 'public',
	anyOrigin: true,
	query: z
		.object({
			playbackId: PlaybackId.optional(),
			token: ViewerToken,
			org: slugSchema(48).optional().meta({ description: 'The slug of the organization' }),
		})
		.refine(
			({ playbackId, org }) => (playbackId === undefined) !== (org === undefined),
			'send either playbackId or org, and not both',
		),
	response: data(PublicOrgSettings),
	errors: ['not_found'],
})

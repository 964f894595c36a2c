import { z } from 'zod'
import { WebUrl } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Public playback')

const pixels = z.int().positive()

const Maximum = z
	.string()
	.regex(/^[1-9]\d{0,8}$/, 'must be a positive whole number')
	.transform(Number)
	.pipe(pixels)
	.optional()

export const OEmbed = z
	.object({
		type: z.literal('video'),
		version: z.literal('1.0'),
		provider_name: z.string(),
		provider_url: z.string(),
		title: z.string(),
		html: z.string().meta({ description: 'An iframe with the player' }),
		width: pixels,
		height: pixels,
		thumbnail_url: z.string().optional(),
		thumbnail_width: pixels.optional(),
		thumbnail_height: pixels.optional(),
		cache_age: z.int().meta({ description: 'For how many seconds to keep the response' }),
	})
	.meta({ id: 'OEmbed', description: 'What another site needs to embed a video (oembed.com, version 1.0)' })
export type OEmbed = z.infer<typeof OEmbed>

export const getOEmbed = operation({
	id: 'getOEmbed',
	method: 'get',
	path: '/oembed',
	summary: 'Get what another site needs to embed a video',
	description:
		'Follows oembed.com, so the response has no envelope. Watch pages refer to it, so that editors turn a pasted address into a player. The player parameters of `url` are kept, without `token`. Returns 401 for a `signed` video, because only its owner can create an address that plays.',
	auth: 'public',
	anyOrigin: true,
	query: z.object({
		url: WebUrl.meta({
			description: 'The address of a video on this installation: `/watch/…` or `/embed/…`',
		}),
		maxwidth: Maximum,
		maxheight: Maximum,
		format: z.string().max(20).default('json').meta({ description: '`json`; any other format gets 501' }),
	}),
	response: OEmbed,
	errors: ['not_found', 'unauthorized', 'format_unsupported'],
})

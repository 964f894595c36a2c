import { z } from 'zod'
import { data, PlaybackId, ViewerToken } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Public playback')
const PlaybackParams = z.object({ playbackId: PlaybackId })

export const REACTIONS = ['👍', '❤️', '😂', '😮', '😢', '👏', '🔥', '🎉'] as const
const Emoji = z.enum(REACTIONS)
export type Emoji = z.infer<typeof Emoji>

const ViewerSession = z
	.string()
	.regex(/^[\w-]{8,64}$/, 'must be 8 to 64 letters, digits, - or _')
	.meta({ description: 'A random id that the player creates and stores for each viewer' })

const Reactions = z
	.object({
		counts: z
			.record(z.string(), z.int().positive())
			.meta({ description: 'The number of reactions per emoji, without emojis that nobody used' }),
		userReactions: z.array(Emoji).meta({ description: 'The reactions of this session' }),
	})
	.meta({ id: 'Reactions' })

export const getReactions = operation({
	id: 'getReactions',
	method: 'get',
	path: '/v1/playback/{playbackId}/reactions',
	summary: 'Get the emoji reactions to a video',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ sessionId: ViewerSession.optional(), token: ViewerToken }),
	response: data(Reactions),
	errors: ['not_found', 'forbidden'],
})

export const toggleReaction = operation({
	id: 'toggleReaction',
	method: 'post',
	path: '/v1/playback/{playbackId}/reactions',
	summary: 'Add or remove an emoji reaction',
	description: 'A session can use each emoji once; sending it again removes the reaction.',
	auth: 'public',
	audit: 'none: content',
	anyOrigin: true,
	shield: 'public-write',
	params: PlaybackParams,
	query: z.object({ token: ViewerToken }),
	body: z.object({ emoji: Emoji, sessionId: ViewerSession }),
	response: data(Reactions),
	errors: ['not_found', 'forbidden'],
})

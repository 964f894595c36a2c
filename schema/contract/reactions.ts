import { z } from 'zod'
import { data, PlaybackId, ViewerToken } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Public playback'
const PlaybackParams = z.object({ playbackId: PlaybackId })

export const REACTIONS = ['👍', '❤️', '😂', '😮', '😢', '👏', '🔥', '🎉'] as const
const Emoji = z.enum(REACTIONS)
export type Emoji = z.infer<typeof Emoji>

const ViewerSession = z
	.string()
	.regex(/^[\w-]{8,64}$/, 'must be 8 to 64 letters, digits, - or _')
	.meta({ description: 'Made up by the player, one for each viewer, and kept by it' })

const Reactions = z
	.object({
		counts: z
			.record(z.string(), z.int().positive())
			.meta({ description: 'How often each emoji was given; those that never were are absent' }),
		userReactions: z.array(Emoji).meta({ description: 'What this session gave' }),
	})
	.meta({ id: 'Reactions' })

export const getReactions = operation({
	id: 'getReactions',
	method: 'get',
	path: '/v1/playback/{playbackId}/reactions',
	tag,
	summary: 'Emoji reactions to a video',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ sessionId: ViewerSession.optional(), token: ViewerToken }),
	status: 200,
	response: data(Reactions),
	errors: ['not_found', 'forbidden'],
})

export const toggleReaction = operation({
	id: 'toggleReaction',
	method: 'post',
	path: '/v1/playback/{playbackId}/reactions',
	tag,
	summary: 'Give an emoji, or take it back',
	description: 'Each session has each emoji once; giving it again takes it back.',
	auth: 'public',
	anyOrigin: true,
	shield: 'public-write',
	params: PlaybackParams,
	query: z.object({ token: ViewerToken }),
	body: z.object({ emoji: Emoji, sessionId: ViewerSession }),
	status: 200,
	response: data(Reactions),
	errors: ['not_found', 'forbidden'],
})

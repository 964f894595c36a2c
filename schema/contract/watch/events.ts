import { z } from 'zod'
import { event } from '../kit/event.ts'
import { AssetId, CommentId, PlaybackId } from '../kit/fields.ts'
import { REACTIONS } from './reactions.ts'

const asset = { assetId: AssetId, playbackId: PlaybackId }
const comment = z.object({ ...asset, commentId: CommentId })

export const watchEvents = [
	event({
		name: 'comment.created',
		payload: comment,
		urgency: 'none',
		public: { summary: 'A viewer commented on a video', auth: 'read', resource: 'commentId' },
	}),
	event({
		name: 'comment.deleted',
		payload: comment,
		urgency: 'none',
		public: { summary: 'A comment on a video was deleted', auth: 'read', resource: 'commentId' },
	}),
	event({
		name: 'reaction.added',
		payload: z.object({ ...asset, emoji: z.enum(REACTIONS) }),
		urgency: 'none',
		public: { summary: 'A viewer reacted to a video', auth: 'read', resource: 'assetId' },
	}),
] as const

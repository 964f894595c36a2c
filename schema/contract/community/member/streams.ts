import { z } from 'zod'
import { Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { describeStreamToken, streamToken } from '../../kit/queries/stream-token.ts'

const operation = describeOperations('Community: live stream')

const MAX_TOPICS = 50

const Topic = z.string().regex(/^(space|post):[1-9]\d{0,14}$/, 'must be space:{id} or post:{id}')

const uniqueTopics = <S extends z.ZodType<string[]>>(schema: S) =>
	schema.refine((topics) => new Set(topics).size === topics.length, 'must not contain a topic twice')

const heard =
	'The types are `post.created`, `post.updated`, `post.removed`, `post.restored`, the same four of `comment`, `reactions` with the counts of a post, comment or image, and `notification` of the caller. Posts, comments and reactions are heard on the topics of their space and of their post.'

export const createStreamToken = operation({
	id: 'createStreamToken',
	method: 'post',
	path: '/api/headless/v1/stream_tokens',
	summary: 'Create a token that opens a live stream once',
	description: describeStreamToken('/api/headless/v1/stream'),
	auth: 'member',
	audit: 'none: short-lived token',
	idempotencyKey: { unkept: 'each stream needs a token of its own' },
	body: z.object({
		topics: uniqueTopics(z.array(Topic).max(MAX_TOPICS))
			.default([])
			.meta({ description: `Up to ${MAX_TOPICS} spaces and posts, as \`space:{id}\` and \`post:{id}\`` }),
	}),
	status: 201,
	response: z.object({ token: z.string(), expires_at: Timestamp }).meta({ id: 'StreamToken' }),
	errors: ['not_found', 'not_configured'],
})

export const streamCommunity = operation({
	id: 'streamCommunity',
	method: 'get',
	path: '/api/headless/v1/stream',
	summary: 'Stream what happens in a community as server-sent events',
	description: `Each event is JSON with a \`type\` and the ids of what changed; read the rest with the API, which checks what the caller may see. The first one is \`ready\`. ${heard} Counts of the same target are sent at once, and then at most once a second. With the id of the last event, as \`last_event_id\` or \`Last-Event-ID\`, a stream begins with the missed events; if they are no longer known, with \`reset\`: read everything again. The stream ends after an hour. Once the membership, the credential or the right to see a space ends, nothing more is heard after at most 30 seconds. A member may have five streams open; a sixth ends the oldest, which gets \`closed\` and must not reconnect. A used token gets 401: an \`EventSource\` then closes, and the page creates a new token.`,
	auth: 'member',
	takesStreamToken: createStreamToken,
	query: z.object({
		token: streamToken('topics'),
		topics: z
			.string()
			.max(1_500)
			.transform((text) => text.split(','))
			.pipe(uniqueTopics(z.array(Topic).max(MAX_TOPICS)))
			.optional()
			.meta({ description: 'Topics, comma-separated' }),
		last_event_id: z.string().max(50).optional(),
	}),
	answersWith: 'text/event-stream',
	errors: ['not_found', 'not_configured'],
})

import { z } from 'zod'
import { data, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { describeStreamToken, streamToken } from '../../kit/queries/stream-token.ts'
import { PublicEventType } from '../../public-events.ts'

const operation = describeOperations('Events')

export const createEventStreamToken = operation({
	id: 'createEventStreamToken',
	method: 'post',
	path: '/v1/events/stream-tokens',
	summary: 'Create a token that opens the stream of events once',
	description: describeStreamToken('/v1/events/stream'),
	auth: 'read',
	audit: 'none: short-lived token',
	idempotencyKey: { unkept: 'each stream needs a token of its own' },
	body: z.object({
		types: z
			.array(PublicEventType)
			.max(50)
			.default([])
			.meta({ description: 'Event types; none stands for all that the caller may read' }),
	}),
	status: 201,
	response: data(z.object({ token: z.string(), expiresAt: Timestamp })),
	errors: ['not_configured'],
})

export const streamEvents = operation({
	id: 'streamEvents',
	method: 'get',
	path: '/v1/events/stream',
	summary: 'Stream the events of the organization as server-sent events',
	description:
		'The events of `GET /v1/events`, in the same order and with the same rights: states of assets, comments and reactions of viewers, members, posts and events of communities. The data is one `Event`, its sequence is the event id. The first one is `{"type":"ready"}`; then come those after `after` or `Last-Event-ID`, if it is given. If these are more than 500, the first one is `{"type":"reset"}`: read everything again. The stream ends after an hour. Once the credential, the role or a suspension ends its rights, nothing more is heard after at most 30 seconds. A person or key may have five streams open; a sixth ends the oldest, which gets `closed` and must not reconnect. A used token gets 401: an `EventSource` then closes, and the page creates a new token.',
	auth: 'read',
	takesStreamToken: createEventStreamToken,
	query: z.object({
		token: streamToken('types'),
		types: z
			.string()
			.max(500)
			.transform((text) => text.split(','))
			.pipe(z.array(PublicEventType).min(1))
			.optional()
			.meta({ description: 'Event types, comma-separated' }),
		after: z
			.string()
			.regex(/^\d{1,15}$/, 'must be a whole number')
			.transform(Number)
			.optional()
			.meta({ description: 'The sequence of the last event that was read' }),
	}),
	answersWith: 'text/event-stream',
	errors: ['not_configured'],
})

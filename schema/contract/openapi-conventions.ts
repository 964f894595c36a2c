import type { JsonSchema } from './openapi-schemas.ts'

const text = `
Everything the Playhouse dashboard, players and transcoding machines do goes through this API.

**Answers.** A success under \`/v1\` is \`{"data": …}\`. Answers may gain fields; ignore those you do not know.

**Refusals.** Under \`/v1\` and \`/api/headless/v1\` a refusal is \`{"error": "for people to read"}\`, under \`/api/users/account/\` it is
\`{"detail": "…"}\` or the wrong fields with what is wrong with them. Its code for programs is in the header
\`X-Error-Code\`. Every answer carries \`X-Request-Id\`: quote it when you ask for help, or send your own (8 to 80 letters,
digits, \`.\`, \`_\`, \`-\`) to follow a request through several systems.

**Credentials.** People send the token they got at sign-in as \`Authorization: Bearer …\`, programs send an API key as
\`X-Api-Key\` or as bearer. Two different credentials in one request are refused with 400. What the caller may not see is 404.

**Lists** come in pages: \`limit\` says how many (100 unless told), the header \`X-Next-Cursor\` is there when there are more
and goes back in as \`cursor\`; \`Link: <…>; rel="next"\` is the same as an address.

**Creating once.** Where \`Idempotency-Key\` is listed, a request that is sent again with the same key gets the first answer
again (marked \`Idempotent-Replayed: true\`) for 24 hours; the same key with another body is 422, while the first is still at
work 409.

**Too many requests** are 429 with \`Retry-After\` in seconds. Requests per minute depend on the tier of the organization.

**Times** are ISO 8601 in UTC with milliseconds, for example \`2026-01-31T12:00:00.000Z\`. Sizes are in bytes.

**Bodies** are JSON in UTF-8, at most 1 MiB, with \`content-type: application/json\`. Compressed bodies (\`content-encoding\`) are refused, and one that
comes in more slowly than 4 KiB a second, after the first 20 seconds, is 408.
`.trim()

const headers: Record<string, JsonSchema> = {
	RequestId: {
		description: 'Names this request in logs; the one you sent, or a new one',
		required: true,
		schema: { type: 'string' },
	},
	RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
	NextCursor: {
		description: 'Send it as `cursor` for the next page; absent on the last one',
		schema: { type: 'string' },
	},
	Link: {
		description: '`<address of the next page>; rel="next"`; absent on the last one',
		schema: { type: 'string' },
	},
	IdempotentReplayed: {
		description: 'Present when this is the kept answer to an earlier request',
		schema: { type: 'string', const: 'true' },
	},
	Challenge: { description: 'How to prove who you are', schema: { type: 'string', const: 'Bearer' } },
}

const parameters: Record<string, JsonSchema> = {
	IdempotencyKey: {
		name: 'Idempotency-Key',
		in: 'header',
		required: false,
		description: 'Any text of your own (a UUID, say) that makes sending this request again harmless',
		schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
	},
}

const bearer = (description: string, more: JsonSchema = {}): JsonSchema => ({
	type: 'http',
	scheme: 'bearer',
	...more,
	description,
})

/** What holds everywhere: said once here, referred to by each operation. */
export const conventions = {
	text,
	headers,
	/** Not among the components: each answer lists codes of its own. */
	errorCode: { description: 'Why it was refused, for programs', required: true },
	parameters,
	securitySchemes: {
		sessionToken: bearer('The `token` from signing in, valid for 24 hours', { bearerFormat: 'JWT' }),
		apiKey: {
			type: 'apiKey',
			in: 'header',
			name: 'X-Api-Key',
			description:
				'An API key of an organization; `Authorization: Bearer` takes it too. Send this or a session token, not both',
		},
		uploadToken: bearer('The `token` of upload-token, good for beginning an upload for 15 minutes', {
			bearerFormat: 'JWT',
		}),
		memberToken: bearer('What `POST /api/v1/headless/auth_token` gives for a member of a community', {
			bearerFormat: 'JWT',
		}),
		registrationToken: bearer(
			'What a transcoding machine registers itself with: `FLEET_TOKEN` of the installation',
		),
		machineToken: bearer('What a machine was given when it registered'),
	} satisfies Record<string, JsonSchema>,
}

import type { JsonSchema } from './openapi-schemas.ts'

const text = `
The Playhouse API serves the dashboard, the players, the members of communities and the transcoding machines.

**Authentication.** Users send the token from sign-in as \`Authorization: Bearer …\`. Programs send an API key as
\`X-Api-Key\` or as a bearer token. A request with two different credentials gets 400.

**Responses.** A successful response under \`/v1\` is \`{"data": …}\`. Responses may gain fields; ignore fields that you
don't know.

**Errors.** Under \`/v1\` and \`/api/headless/v1\` an error is \`{"error": "a message for people"}\`. Under
\`/api/users/account/\` it is \`{"detail": "…"}\`, or an object with the messages for each invalid field. The two
operations for devices write errors as OAuth does: \`{"error": "a code", "error_description": "…"}\`. The header
\`X-Error-Code\` holds a code for programs. A resource that the caller may not see returns 404.

**Request ids.** Every response carries \`X-Request-Id\`. Include it when you ask for help. To follow a request through
several systems, send an id of your own: 8 to 80 letters, digits, \`.\`, \`_\` or \`-\`.

**Pagination.** \`limit\` sets the size of a page (default 100). If there is another page, the response carries
\`X-Next-Cursor\`; send its value as \`cursor\`. \`Link: <…>; rel="next"\` holds the URL of that page. Most lists of the
community API take \`page\` and \`per_page\` instead.

**Idempotency.** Every POST accepts \`Idempotency-Key\`, and every POST that lists it is safe to retry with it. A retry with
the same key within 24 hours returns the first successful response again, with \`Idempotent-Replayed: true\`. The same key
with another body gets 422, and 409 while the first request is still running. Errors are not kept: after one, a retry with
the same key runs again. The other operations say why they keep no response, and a success then carries
\`Idempotency-Key-Kept: no\`, or why they recognize a retry without the header.

**Rate limits.** \`RateLimit-Policy\` lists the limits that count a request. A response with 429 carries \`Retry-After\` in
seconds. The tier of the organization sets its requests
per minute. One user or member may use at most half of them, and each caller is guaranteed a tenth. The members of the
organization's communities share a second allowance of the same size.

**Times and sizes.** Times are ISO 8601 in UTC with milliseconds, such as \`2026-01-31T12:00:00.000Z\`. Sizes are in
bytes.

**Webhooks.** The service sends the events of an organization to its webhook endpoints, signed as in
[Standard Webhooks](https://www.standardwebhooks.com). A status from 200 to 299 within 15 seconds is a success;
otherwise the delivery is attempted again, up to ten times in about three days. Any event may arrive twice.

**Unknown query parameters** get 400 with the nearest known name, except where the operation ignores them.

**Request bodies** are JSON in UTF-8, at most 1 MiB, with \`content-type: application/json\`. Unknown fields get 400,
except where a schema allows them. Compressed bodies (\`content-encoding\`) are rejected. After the first 20 seconds, a
body slower than 4 KiB per second gets 408.
`.trim()

const headers: Record<string, JsonSchema> = {
	RequestId: {
		description: 'The id of this request in our logs: the one you sent, or a new one',
		required: true,
		schema: { type: 'string' },
	},
	ErrorFields: {
		description:
			'The invalid fields, parameters or headers, separated by a comma and a space, such as `title, segments.0.end`; at most 20. Absent if the error names none',
		schema: { type: 'string' },
	},
	RetryAfter: { description: 'Seconds to wait before the next try', schema: { type: 'integer', minimum: 1 } },
	RateLimitPolicy: {
		description:
			'The rate limits that count this request: `q` requests in `w` seconds for each `address`, `api-key`, `caller`, `organization`, or all `members` of the communities of an organization. Absent if none counts it',
		schema: { type: 'string', examples: ['"caller";q=150;w=60, "organization";q=300;w=60'] },
	},
	RateLimit: {
		description:
			'The limit of `RateLimit-Policy` that is reached: `r` requests remain, and it ends in at most `t` seconds. Other responses do not contain it, because the number of remaining requests is not known',
		schema: { type: 'string', examples: ['"caller";r=0;t=60'] },
	},
	NextCursor: {
		description: 'The `cursor` of the next page; absent on the last page',
		schema: { type: 'string' },
	},
	Link: {
		description: '`<absolute URL of the next page>; rel="next"`; absent on the last page',
		schema: { type: 'string' },
	},
	IdempotentReplayed: {
		description: 'Present if this response repeats the one to an earlier request',
		schema: { type: 'string', const: 'true' },
	},
	IdempotencyKeyKept: {
		description:
			'Present if the request sent `Idempotency-Key`: this response is not kept, and a retry runs again',
		schema: { type: 'string', const: 'no' },
	},
	Impersonation: {
		description: 'Present if a superadmin acts as the user: what the token may do',
		schema: { type: 'string', enum: ['read', 'write'] },
	},
	Challenge: { description: 'The authentication scheme to use', schema: { type: 'string', const: 'Bearer' } },
}

/** The headers of Standard Webhooks, on each request to a webhook endpoint. */
const webhookHeaders: JsonSchema[] = [
	['webhook-id', 'The id of the event, the same in every attempt; use it to ignore repetitions'],
	[
		'webhook-timestamp',
		'When the request was sent, in seconds since 1970. Reject requests that are older than five minutes',
	],
	[
		'webhook-signature',
		'`v1,` and base64(HMAC-SHA256(`{webhook-id}.{webhook-timestamp}.{body}`)) under the signing secret. During a rotation there are two, separated by a space',
	],
].map(([name, description]) => ({
	name,
	in: 'header',
	required: true,
	description,
	schema: { type: 'string' },
}))

const parameters: Record<string, JsonSchema> = {
	IdempotencyKey: {
		name: 'Idempotency-Key',
		in: 'header',
		required: false,
		description: 'A unique value of your choice, such as a UUID, which makes retries of this request safe',
		schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
	},
}

const jwt = 'Made as RFC8725 recommends: one algorithm, and a key and an audience for each kind of token'

const bearer = (description: string, more: JsonSchema = {}): JsonSchema => ({
	type: 'http',
	scheme: 'bearer',
	...more,
	description,
})

/** The parts of the document that every operation shares and refers to. */
export const conventions = {
	text,
	headers,
	/** Not a component, because each response lists its own codes. */
	errorCode: { description: 'The reason for the error, for programs', required: true },
	webhookHeaders,
	parameters,
	securitySchemes: {
		sessionToken: bearer(`The \`token\` from sign-in, valid for 24 hours. ${jwt}`, { bearerFormat: 'JWT' }),
		apiKey: {
			type: 'apiKey',
			in: 'header',
			name: 'X-Api-Key',
			description:
				'An API key of an organization, also accepted as `Authorization: Bearer`. Send either an API key or a session token, not both',
		},
		uploadToken: bearer(`The \`token\` from upload-token, which can start an upload for 15 minutes. ${jwt}`, {
			bearerFormat: 'JWT',
		}),
		memberToken: bearer(
			`The \`access_token\` from \`POST /api/v1/headless/auth_token\`, for a member of a community. ${jwt}`,
			{
				bearerFormat: 'JWT',
			},
		),
		registrationToken: bearer(
			'The `FLEET_TOKEN` of the installation, with which transcoding machines register',
		),
		machineToken: bearer('The `token` that a machine received at registration'),
		metricsToken: bearer('The `METRICS_TOKEN` of the installation, with which Prometheus reads its metrics'),
	} satisfies Record<string, JsonSchema>,
}

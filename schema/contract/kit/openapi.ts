import type { z } from 'zod'
import type { TagGroup } from '../tags.ts'
import { printForms } from './bodies/one-of.ts'
import { printCodeSamples } from './examples/code-samples.ts'
import { composeExample } from './examples/compose-example.ts'
import { composeErrors } from './examples/error-examples.ts'
import { composeRequest, composeResponse, findText } from './examples/operation-examples.ts'
import { type Deprecation, describeDeprecation, formatDeprecationHeaders } from './headers/deprecation.ts'
import { describeIdempotencyKey, findIdempotencyKeyUse, keepsResponses } from './idempotency-key.ts'
import { conventions } from './openapi-conventions.ts'
import { type JsonSchema, SchemaPrinter } from './openapi-schemas.ts'
import { describeAccess, listSecurityRequirements } from './openapi-security.ts'
import { listAuditActions, type Operation } from './operation.ts'
import { errorMeanings, listErrorCodes } from './operation-errors.ts'
import { type ErrorCode, statusByCode } from './problem.ts'
import { findOpenQuery } from './queries/open-queries.ts'
import { chooseWireFamily, problemByFamily, type WireFamily } from './wire-family.ts'

export type OpenApiDocument = {
	openapi: '3.1.1'
	info: {
		title: string
		version: string
		description: string
		contact: { name: string; url?: string }
		license: { name: string; identifier: string }
	}
	servers: { url: string }[]
	tags: { name: string; description?: string }[]
	'x-tagGroups': { name: string; tags: string[] }[]
	paths: Record<string, Record<string, JsonSchema>>
	webhooks: Record<string, Record<string, JsonSchema>>
	components: Record<string, Record<string, JsonSchema>>
}

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` })
const json = (content: JsonSchema): JsonSchema => ({ 'application/json': content })

/** Returns the API as one OpenAPI document, in a fixed order. */
export function buildOpenApi(
	operations: readonly Operation[],
	webhooks: readonly WebhookBody[],
	version: string,
	groups: readonly TagGroup[] = [],
): OpenApiDocument {
	const schemas = new SchemaPrinter()
	const errorResponses: Record<string, JsonSchema> = {}
	const paths: OpenApiDocument['paths'] = {}
	for (const op of operations)
		paths[op.path] = {
			...paths[op.path],
			[op.method]: operationObject(op, schemas, errorResponses),
		}
	return schemas.finish({
		openapi: '3.1.1',
		info: {
			title: 'Playhouse API',
			version,
			description: conventions.text,
			contact: { name: 'The operator of the installation' },
			license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
		},
		servers: [{ url: '/' }],
		tags: groups.flatMap(({ tags }) => tags.map(([name, description]) => ({ name, description }))),
		'x-tagGroups': groups.map(({ name, tags }) => ({ name, tags: tags.map(([tag]) => tag) })),
		paths,
		webhooks: Object.fromEntries(webhooks.map((webhook) => [webhook.type, webhookObject(webhook, schemas)])),
		components: {
			schemas: schemas.components(),
			responses: sortByKey(errorResponses),
			headers: conventions.headers,
			parameters: conventions.parameters,
			securitySchemes: conventions.securitySchemes,
		},
	})
}

/** A request that this service sends to the webhook endpoints of organizations. */
type WebhookBody = { type: string; summary: string; body: z.ZodType }

const webhookObject = (
	{ type, summary, body }: WebhookBody,
	schemas: SchemaPrinter,
): Record<string, JsonSchema> => ({
	post: {
		operationId: `webhook.${type}`,
		tags: ['Webhooks'],
		summary,
		// The signature in the headers authenticates the request.
		security: [],
		parameters: conventions.webhookHeaders,
		requestBody: {
			required: true,
			content: json({ schema: schemas.print(body, 'output'), example: composeExample(body, [type]) }),
		},
		responses: {
			'2XX': { description: 'Delivered' },
			410: { description: 'Switches deliveries to this endpoint off' },
			default: { description: 'Attempted again later' },
		},
	},
})

function operationObject(
	op: Operation,
	schemas: SchemaPrinter,
	errorResponses: Record<string, JsonSchema>,
): JsonSchema {
	const description = [
		op.deprecated && describeDeprecation(op.deprecated),
		op.description,
		describeAccess(op),
		keyLimits(op),
		findOpenQuery(op) && 'Unknown query parameters are ignored.',
		describeIdempotencyKey(op),
		audited(listAuditActions(op)),
	]
		.filter(Boolean)
		.join('\n\n')
	return {
		operationId: op.id,
		...(op.aliasOf && { 'x-alias-of': op.aliasOf.id }),
		tags: [op.tag],
		summary: op.summary,
		...(op.deprecated && { deprecated: true }),
		...(description && { description }),
		security: listSecurityRequirements(op.auth),
		parameters: [
			...parametersOf(op.params, 'path', schemas),
			...parametersOf(op.query, 'query', schemas),
			...parametersOf(op.headers, 'header', schemas),
			...(keepsResponses(op) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
		],
		...(op.body && {
			requestBody: {
				required: !op.bodyOptional,
				content: bodyContent(
					op,
					bodySchema(
						op,
						[op.body, op.circleBody?.schema].flatMap((body) =>
							body ? [printForms(schemas.print(body, 'input'))] : [],
						),
					),
				),
			},
		}),
		...(op.takesBytes && {
			requestBody: {
				required: !op.takesBytes.optional,
				description: `At most ${op.takesBytes.maxBytes} bytes`,
				content: Object.fromEntries(listFileTypes(op.takesBytes.type).map((type) => [type, {}])),
			},
		}),
		responses: {
			...(op.statusIfExists && {
				[op.statusIfExists]: successOf({ ...op, status: op.statusIfExists }, schemas),
			}),
			[op.status]: successOf(op, schemas),
			...(op.statusIfIncomplete && {
				[op.statusIfIncomplete]: {
					description: 'Incomplete: `Range` names the stored bytes; without it, nothing is stored',
					headers: { 'X-Request-Id': header('RequestId'), ...responseHeadersOf(op, schemas) },
				},
			}),
			...errorsByStatus(op, schemas, errorResponses),
		},
		'x-codeSamples': printCodeSamples(op),
	}
}

/** Generated clients send a file as bytes only if this type is listed first. They serialize other types as JSON. */
const BYTES = 'application/octet-stream'

/** Any type is accepted for these files, because the bytes show what they are. */
const listFileTypes = (type: string): string[] =>
	({
		'image/*': [BYTES, 'image/jpeg', 'image/png', 'image/webp'],
		'*/*': [BYTES, 'text/vtt'],
	})[type] ?? [type]

const audited = (actions: readonly string[]): string | false =>
	actions.length > 0 &&
	`Recorded in the audit log as ${actions.map((action) => `\`${action}\``).join(' or ')}.`

/** Describes the forms of a body, each of which may also be wrapped. */
function bodySchema({ bodyWrapper: name }: Operation, forms: JsonSchema[]): JsonSchema {
	const wrapped = (schema: JsonSchema): JsonSchema => ({
		type: 'object',
		description: 'The form that clients of Circle send',
		properties: { [String(name)]: schema },
		required: [name],
		additionalProperties: false,
	})
	const all = name === undefined ? forms : forms.flatMap((form) => [form, wrapped(form)])
	const [only] = all
	return all.length === 1 && only ? only : { oneOf: all }
}

const bodyContent = (op: Operation, schema: JsonSchema): JsonSchema => {
	const { bodyTypes = [], formBody, lineBody } = op
	return Object.fromEntries([
		...['application/json', ...bodyTypes, ...(formBody ? ['application/x-www-form-urlencoded'] : [])].map(
			(type) => [type, { schema, example: composeRequest(op) }],
		),
		...(lineBody?.types ?? []).map((type) => [
			type,
			{ schema: { type: 'string' }, example: findText(op.id, type) },
		]),
	])
}

/** Describes which values an API key may send. */
const keyLimits = ({ keysMaySend = {} }: Operation): string =>
	Object.entries(keysMaySend)
		.map(
			([field, values]) =>
				`An API key may send \`${field}\` only as ${values.map((value) => `\`${value}\``).join(' or ')}; other values require a session (403).`,
		)
		.join(' ')

const sortByKey = (entries: Record<string, JsonSchema>): Record<string, JsonSchema> =>
	Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))

function parametersOf(
	object: z.ZodObject | undefined,
	location: 'path' | 'query' | 'header',
	schemas: SchemaPrinter,
): JsonSchema[] {
	if (!object) return []
	return Object.entries(object.shape as Record<string, z.ZodType>).map(([name, schema]) => {
		const { description, ...printed } = parameterSchema(schema, schemas)
		return {
			name,
			in: location,
			required: location === 'path' || !schema.safeParse(undefined).success,
			...(description !== undefined && { description }),
			schema: printed,
		}
	})
}

/** Parameters arrive as text. A number or boolean is described by its parsed type, not as a pattern of digits. */
function parameterSchema(schema: z.ZodType, schemas: SchemaPrinter): JsonSchema {
	try {
		const parsed = schemas.print(schema, 'output')
		if (['integer', 'number', 'boolean'].includes(String(parsed.type))) return parsed
	} catch {
		// The output of a bare transform has no schema, so the input is described instead.
	}
	return schemas.print(schema, 'input')
}

function successOf(op: Operation, schemas: SchemaPrinter): JsonSchema {
	return {
		description: successDescriptions[op.status],
		headers: {
			'X-Request-Id': header('RequestId'),
			...(listErrorCodes(op).includes('too_many_requests') && {
				'RateLimit-Policy': header('RateLimitPolicy'),
			}),
			...(op.paged && { Link: header('Link'), 'X-Next-Cursor': header('NextCursor') }),
			...(keepsResponses(op) && { 'Idempotent-Replayed': header('IdempotentReplayed') }),
			...(findIdempotencyKeyUse(op) === 'unkept' && { 'Idempotency-Key-Kept': header('IdempotencyKeyKept') }),
			...(op.impersonation && { 'X-Impersonation': header('Impersonation') }),
			...(op.deprecated && deprecationHeaders(op.deprecated)),
			...responseHeadersOf(op, schemas),
		},
		...(op.response && {
			content: json({ schema: schemas.print(op.response, 'output'), example: composeResponse(op) }),
		}),
		...(op.answersWith && { content: { [op.answersWith]: fileContent(op.id, op.answersWith) } }),
	}
}

const deprecationHeaders = (deprecation: Deprecation): JsonSchema =>
	Object.fromEntries(
		Object.entries(formatDeprecationHeaders(deprecation)).map(([name, value]) => [
			name,
			{ required: true, schema: { type: 'string', const: value } },
		]),
	)

/** Bytes have neither a schema nor an example. */
function fileContent(id: string, mediaType: string): JsonSchema {
	const example = findText(id, mediaType)
	return example === undefined ? {} : { schema: { type: 'string' }, example }
}

function responseHeadersOf(op: Operation, schemas: SchemaPrinter): JsonSchema {
	const shape = (op.answerHeaders?.shape ?? {}) as Record<string, z.ZodType>
	return Object.fromEntries(
		Object.entries(shape).map(([name, schema]) => {
			const { description, ...printed } = schemas.print(schema, 'output')
			const required = !schema.safeParse(undefined).success
			return [name, { ...(description !== undefined && { description }), required, schema: printed }]
		}),
	)
}

const successDescriptions: Record<Operation['status'], string> = {
	101: 'Switching to a WebSocket',
	200: 'OK',
	201: 'Created',
	202: 'Accepted',
	204: 'No content',
	303: 'See other',
}

/** Many operations share the same error responses, so these are components that the operations refer to. */
function errorsByStatus(
	op: Operation,
	schemas: SchemaPrinter,
	errorResponses: Record<string, JsonSchema>,
): JsonSchema {
	const codesAt = new Map<number, ErrorCode[]>()
	for (const code of listErrorCodes(op))
		codesAt.set(statusByCode[code], [...(codesAt.get(statusByCode[code]) ?? []), code])
	const family = chooseWireFamily(op.path)
	const responses: JsonSchema = {}
	for (const [status, codes] of codesAt) {
		const name = [...(family === 'video' ? [] : [family]), status, ...codes].join('.')
		errorResponses[name] ??= errorResponse(status, codes, family, schemas)
		responses[status] = { $ref: `#/components/responses/${name}` }
	}
	return responses
}

const errorResponse = (
	status: number,
	codes: ErrorCode[],
	family: WireFamily,
	schemas: SchemaPrinter,
): JsonSchema => ({
	description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join('\n\n'),
	headers: {
		'X-Request-Id': header('RequestId'),
		'X-Error-Code': { ...conventions.errorCode, schema: { type: 'string', enum: codes } },
		...(codes.includes('validation') && { 'X-Error-Fields': header('ErrorFields') }),
		...((status === 429 || codes.includes('request_in_flight')) && { 'Retry-After': header('RetryAfter') }),
		...(status === 429 && {
			RateLimit: header('RateLimit'),
			'RateLimit-Policy': header('RateLimitPolicy'),
		}),
		...(status === 401 && family === 'headless' && { 'WWW-Authenticate': header('Challenge') }),
	},
	content: json({
		schema: schemas.print(problemByFamily[family], 'output'),
		examples: composeErrors(codes, family),
	}),
})

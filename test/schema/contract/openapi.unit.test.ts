import { readFile } from 'node:fs/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import { buildOpenApi } from '#schema/contract/kit/openapi.ts'
import { describeOperations, type Operation } from '#schema/contract/kit/operation.ts'
import { listErrorCodes } from '#schema/contract/kit/operation-errors.ts'
import { statusByCode } from '#schema/contract/kit/problem.ts'
import { webhookBodies } from '#schema/contract/public-events.ts'
import { tagGroups } from '#schema/contract/tags.ts'
import { printOpenapi } from '../../../scripts/generate/openapi-text.ts'

const operation = describeOperations('Toys')

const root = new URL('../../../', import.meta.url)
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string }
const document = buildOpenApi(allOperations, webhookBodies, version, tagGroups)

const ping = (more: Partial<Operation>): Operation =>
	operation({
		id: 'ping',
		method: 'post',
		path: '/v1/ping',
		tag: 'T',
		summary: 'S',
		auth: 'public',
		audit: 'none: work',
		status: 200,
		...more,
	} as Operation)

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into a printed document
const printed = (...operations: Operation[]): any => buildOpenApi(operations, [], '1.0.0')

describe('the OpenAPI document of the whole contract', () => {
	test('the OpenAPI document of the whole contract is valid OpenAPI 3.1', async () => {
		const validator = new Validator()
		const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)
		expect(result).toEqual({ valid: true })
		expect(validator.version).toBe('3.1')
		const { info: _, ...broken } = structuredClone(document)
		expect((await new Validator().validate(broken)).valid).toBe(false)
	})

	test('the OpenAPI document equals schema/openapi.json (else run: npm run openapi)', async () => {
		const committed = await readFile(new URL('schema/openapi.json', root), 'utf8')
		expect(printOpenapi(document) === committed).toBe(true)
	})

	test('the OpenAPI document has a component for every reference and uses every component', () => {
		const refs = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(
			([, name]) => name,
		)
		const kinds = ['schemas', 'responses', 'headers', 'parameters'] as const
		const components = kinds.flatMap((kind) =>
			Object.keys(document.components[kind] ?? {}).map((name) => `${kind}/${name}`),
		)
		expect(refs.filter((name) => !components.includes(String(name)))).toEqual([])
		// Only the headless family uses the challenge, and that family may have no operations.
		expect(components.filter((name) => !refs.includes(name) && name !== 'headers/Challenge')).toEqual([])
	})

	test.each(allOperations.map((op) => [op.id, op] as const))(
		'the operation %s has a summary, a response body, path parameters and paging that fit together',
		(_, op) => {
			expect(op.summary).toMatch(/^[A-Z].*[^.]$/)
			const isEmpty = [101, 204, 303].includes(op.status)
			const hasBody = (op.response ?? op.answersWith) !== undefined
			if (isEmpty || op.answerHeaders === undefined) expect(hasBody).toBe(!isEmpty)
			const namesInPath = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
			expect(Object.keys(op.params?.shape ?? {}).sort()).toEqual(namesInPath.sort())
			expect(op.paged === true).toBe(op.query !== undefined && 'cursor' in op.query.shape)
		},
	)

	test('the OpenAPI document names the operation that an alias is under another path', () => {
		const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>
		const marked = Object.values(paths).flatMap((methods) =>
			Object.values(methods).flatMap((op) =>
				op['x-alias-of'] === undefined ? [] : [[op.operationId, op['x-alias-of']]],
			),
		)
		const aliases = allOperations.flatMap((op) => (op.aliasOf ? [[op.id, op.aliasOf.id]] : []))
		expect(aliases).toContainEqual(['getPostOfSpace', 'getPost'])
		expect(marked.sort()).toEqual(aliases.sort())
	})

	test('the OpenAPI document describes every tag of an operation once, in groups', () => {
		const used = new Set(['Webhooks', ...allOperations.map((op) => op.tag)])
		const listed = tagGroups.flatMap(({ tags }) => tags.map(([name]) => name))
		expect(listed.toSorted()).toEqual([...used].sort())
		expect(document.tags.map(({ name }) => name)).toEqual(listed)
		for (const { description } of document.tags) expect(description).toMatch(/^[A-Z].*\.$/)
		expect(document['x-tagGroups'].flatMap(({ tags }) => tags)).toEqual(listed)
	})

	test('the OpenAPI document names its license and its contact', () => {
		expect(document.info).toMatchObject({
			license: { identifier: 'Apache-2.0' },
			contact: { name: 'The operator of the installation' },
		})
	})

	test('the OpenAPI document has unique operation ids and pairs of method and path', () => {
		const ids = allOperations.map((op) => op.id)
		const routes = allOperations.map((op) => `${op.method} ${op.path.replaceAll(/\{\w+\}/g, '{}')}`)
		expect(new Set(ids).size).toBe(ids.length)
		expect(new Set(routes).size).toBe(routes.length)
	})
})

describe('buildOpenApi', () => {
	test('buildOpenApi prints path parameters, parsed query parameters and the input side of bodies', () => {
		const operationObject = printed(
			ping({
				method: 'patch',
				path: '/v1/ping/{id}',
				params: z.object({ id: z.string() }),
				query: z.object({
					limit: z.string().transform(Number).pipe(z.int().min(1).max(9)).default(5),
					since: z.string().optional().meta({ description: 'From when' }),
				}),
				body: z.object({ name: z.string().transform((text) => text.length), note: z.string().default('') }),
			}),
		).paths['/v1/ping/{id}'].patch
		expect(operationObject.parameters).toEqual([
			{ name: 'id', in: 'path', required: true, schema: { type: 'string' } },
			{
				name: 'limit',
				in: 'query',
				required: false,
				schema: { type: 'integer', minimum: 1, maximum: 9, default: 5 },
			},
			{ name: 'since', in: 'query', required: false, description: 'From when', schema: { type: 'string' } },
		])
		expect(operationObject.requestBody).toEqual({
			required: true,
			content: {
				'application/json': {
					schema: {
						type: 'object',
						properties: { name: { type: 'string' }, note: { type: 'string', default: '' } },
						required: ['name'],
						additionalProperties: false,
					},
					example: { name: 'Mara Lindt', note: '' },
				},
			},
		})
	})

	test('buildOpenApi prints a body with a wrapper as either its fields or one object that contains them', () => {
		const body = z.object({ name: z.string() })
		const { patch } = printed(ping({ method: 'patch', body, bodyWrapper: 'post' })).paths['/v1/ping']
		const { oneOf } = patch.requestBody.content['application/json'].schema
		const plain = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
		expect(oneOf).toMatchObject([plain, { type: 'object', properties: { post: plain }, required: ['post'] }])
		expect(oneOf[1].additionalProperties).toBe(false)
	})

	test('buildOpenApi makes one component of a named schema that is used twice', () => {
		const Thing = z.object({ id: z.string() }).meta({ id: 'TestThing' })
		const { paths, components } = printed(
			ping({ response: z.object({ data: z.array(Thing) }) }),
			ping({ id: 'pong', method: 'get', response: Thing }),
		)
		expect(components.schemas.TestThing).toEqual({
			type: 'object',
			properties: { id: { type: 'string' } },
			required: ['id'],
		})
		expect(paths['/v1/ping'].get.responses[200].content['application/json'].schema).toEqual({
			$ref: '#/components/schemas/TestThing',
		})
	})

	test('buildOpenApi prints a named schema twice if its input differs from its output', () => {
		const Part = z.object({ note: z.string().default('') }).meta({ id: 'TestPart' })
		const Whole = z.object({ part: Part }).meta({ id: 'TestWhole' })
		const { components } = printed(ping({ body: Whole, response: Whole }))
		expect(components.schemas.TestPart.required).toEqual(['note'])
		expect(components.schemas.TestPartInput.required).toBeUndefined()
		expect(components.schemas.TestWholeInput.properties.part).toEqual({
			$ref: '#/components/schemas/TestPartInput',
		})
	})

	test('buildOpenApi rejects two different schemas with the same name', () => {
		const one = z.object({ a: z.string() }).meta({ id: 'TestTwin' })
		const two = z.object({ b: z.string() }).meta({ id: 'TestTwin' })
		expect(() =>
			printed(ping({ response: one }), ping({ id: 'pong', method: 'get', response: two })),
		).toThrow('TestTwin')
	})

	test('buildOpenApi rejects a recursive schema without a name', () => {
		const Tree = z.object({
			get children() {
				return z.array(Tree)
			},
		})
		expect(() => printed(ping({ response: Tree }))).toThrow('needs a name')
	})

	test.each([
		['public', []],
		['session', [{ sessionToken: [] }]],
		['superadmin', [{ sessionToken: [] }]],
		['org-admin-person', [{ sessionToken: [] }]],
		['read', [{ sessionToken: [] }, { apiKey: [] }]],
		['registration', [{ registrationToken: [] }]],
		['machine', [{ machineToken: [] }]],
		['metrics', [{ metricsToken: [] }]],
	] as const)('buildOpenApi lists the credentials that a %s operation accepts', (auth, security) => {
		expect(printed(ping({ auth })).paths['/v1/ping'].post.security).toEqual(security)
	})

	test('buildOpenApi lists Idempotency-Key of each POST and the headers of paged operations', () => {
		const { paths } = printed(ping({}), ping({ id: 'pong', method: 'get', paged: true }))
		expect(paths['/v1/ping'].post.parameters).toEqual([{ $ref: '#/components/parameters/IdempotencyKey' }])
		expect(Object.keys(paths['/v1/ping'].get.responses[200].headers)).toEqual([
			'X-Request-Id',
			'Link',
			'X-Next-Cursor',
		])
	})

	test('buildOpenApi prints the error body of each wire family', () => {
		const { paths, components } = printed(
			ping({ auth: 'session' }),
			ping({ id: 'b', auth: 'session', path: '/api/headless/v1/ping' }),
			ping({ id: 'c', auth: 'session', path: '/api/users/account/ping/' }),
		)
		const unauthorized = (path: string) =>
			components.responses[paths[path].post.responses[401].$ref.split('/').at(-1)]
		expect(unauthorized('/v1/ping').content['application/json'].schema.$ref).toMatch(/\/Problem$/)
		expect(Object.keys(unauthorized('/v1/ping').headers)).not.toContain('WWW-Authenticate')
		expect(Object.keys(unauthorized('/api/headless/v1/ping').headers)).toContain('WWW-Authenticate')
		expect(unauthorized('/api/users/account/ping/').content['application/json'].schema.$ref).toMatch(
			/\/AccountProblem$/,
		)
	})
})

describe('listErrorCodes', () => {
	test('listErrorCodes lists server errors and unknown parameters for a public operation without input', () => {
		expect(listErrorCodes(ping({ method: 'get' }))).toEqual(['validation', 'internal', 'unavailable'])
		// Writing needs space.
		expect(listErrorCodes(ping({ body: z.object({}) }))).toContain('insufficient_storage')
	})

	test('listErrorCodes combines the errors of authentication, of the input and of the operation', () => {
		const codes = listErrorCodes(
			ping({
				auth: 'write',
				params: z.object({}),
				body: z.object({}),
				errors: ['plan_limit'],
			}),
		)
		expect(codes.map((code) => statusByCode[code])).toEqual(
			codes.map((code) => statusByCode[code]).toSorted((a, b) => a - b),
		)
		expect(codes).toEqual([
			'bad_credentials_mix',
			'malformed',
			'validation',
			'unauthorized',
			'email_unverified',
			'forbidden',
			'org_suspended',
			'plan_limit',
			'second_factor_missing',
			'not_found',
			'request_timeout',
			'request_in_flight',
			'too_large',
			'unsupported_media_type',
			'idempotency_mismatch',
			'too_many_requests',
			'internal',
			'not_configured',
			'unavailable',
			'insufficient_storage',
		])
	})
})

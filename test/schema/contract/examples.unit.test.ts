import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import { composeExample } from '#schema/contract/kit/examples/compose-example.ts'
import { composePathParameters } from '#schema/contract/kit/examples/operation-examples.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { chooseWireFamily, problemByFamily } from '#schema/contract/kit/wire-family.ts'
import { webhookBodies } from '#schema/contract/public-events.ts'
import document from '#schema/openapi.json' with { type: 'json' }

type Media = { schema?: object; example?: unknown; examples?: Record<string, { value: unknown }> }
type Message = { content?: Record<string, Media>; $ref?: string }
type Described = { requestBody?: Message; responses: Record<string, Message> }
type Methods = Record<string, Described>

const paths = document.paths as unknown as Record<string, Methods>
const errors = document.components.responses as unknown as Record<string, Message>
const describedAs = (op: Operation): Described => paths[op.path]?.[op.method] as Described
const jsonOf = (message: Message | undefined) => message?.content?.['application/json']

/** Returns the problems of an example, and the fields in it that the schema does not know. */
function problemsOf(schema: z.ZodType, example: unknown): unknown {
	const parsed = schema.safeParse(example)
	return parsed.success ? [] : parsed.error.issues
}

describe('the examples of the OpenAPI document', () => {
	test.each(allOperations.filter((op) => op.body).map((op) => [op.id, op] as const))(
		'the example of the request of %s is valid',
		(_, op) => {
			const { requestBody } = describedAs(op)
			expect(problemsOf(op.body as z.ZodType, jsonOf(requestBody)?.example)).toEqual([])
		},
	)

	test.each(allOperations.filter((op) => op.response).map((op) => [op.id, op] as const))(
		'the example of the response of %s is valid and has only fields of the contract',
		(_, op) => {
			for (const status of [op.status, op.statusIfExists ?? op.status]) {
				const example = jsonOf(describedAs(op).responses[status])?.example
				const response = op.response as z.ZodType
				expect(problemsOf(response, example)).toEqual([])
				expect(response.parse(example)).toEqual(example)
			}
		},
	)

	test.each(webhookBodies.map((webhook) => [webhook.type, webhook] as const))(
		'the example of the webhook %s is valid',
		(type, { body }) => {
			const webhooks = document.webhooks as unknown as Record<string, Methods>
			expect(problemsOf(body, jsonOf(webhooks[type]?.post?.requestBody)?.example)).toEqual([])
		},
	)

	test('every error of an operation has an example for each of its codes', () => {
		const used = new Set<string>()
		for (const op of allOperations)
			for (const { $ref } of Object.values(describedAs(op).responses)) {
				if ($ref === undefined) continue
				const name = $ref.replace('#/components/responses/', '')
				used.add(name)
				const examples = jsonOf(errors[name])?.examples ?? {}
				expect(Object.keys(examples)).toEqual(name.replace(/^.*?\d{3}\./, '').split('.'))
				for (const { value } of Object.values(examples))
					expect(problemsOf(problemByFamily[chooseWireFamily(op.path)], value)).toEqual([])
			}
		expect([...used].sort()).toEqual(Object.keys(errors))
	})

	test('every body in the OpenAPI document has an example, except bytes', () => {
		const without = Object.values(paths)
			.flatMap((methods) => Object.values(methods))
			.flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
			.flatMap((message) => Object.entries(message?.content ?? {}))
			.filter(([, { example, examples }]) => example === undefined && examples === undefined)
		expect(without.filter(([, { schema }]) => schema !== undefined)).toEqual([])
		// Bodies that are read as bytes: files, and what foreign programs send (Stripe, AI providers, browsers).
		expect([...new Set(without.map(([type]) => type))].sort()).toEqual([
			'application/json',
			'application/octet-stream',
			'application/offset+octet-stream',
			'application/reports+json',
			'application/x-www-form-urlencoded',
			'application/zip',
			'image/*',
			'image/jpeg',
			'image/png',
			'image/webp',
			'text/vtt',
		])
	})

	test('a body of bytes lists application/octet-stream first, since generated clients send other types as JSON', () => {
		const types = (path: string) => Object.keys(paths[path]?.put?.requestBody?.content ?? {})
		const avatar = types('/api/headless/v1/profile/avatar')
		expect(avatar).toEqual(['application/octet-stream', 'image/jpeg', 'image/png', 'image/webp'])
		const subtitles = types('/v1/assets/{assetId}/subtitles/{lang}')
		expect(subtitles).toEqual(['application/octet-stream', 'text/vtt'])
	})

	test('every parameter in a path has a valid example', () => {
		for (const op of allOperations) {
			const example = composePathParameters(op)
			if (op.params) expect([op.id, problemsOf(op.params, example)]).toEqual([op.id, []])
			for (const value of Object.values(example)) expect(typeof value).toBe('string')
		}
	})
})

describe('composeExample', () => {
	const compose = (schema: z.ZodType, ...path: string[]) => composeExample(schema, ['toy', ...path])

	test('composeExample throws for a text that nothing describes, and names it', () => {
		expect(() => compose(z.object({ wheels: z.array(z.object({ rubberKind: z.string() })) }))).toThrow(
			'no example for toy.wheels.rubberKind (string)',
		)
	})

	test('composeExample prefers the example of a schema to that of its name', () => {
		const Title = z.string().meta({ examples: ['Own'] })
		expect(compose(z.object({ title: z.string(), other: Title }))).toEqual({
			title: 'Harbour at dawn',
			other: 'Own',
		})
	})

	test('composeExample uses a value only where the schema accepts it', () => {
		const Short = z.object({ title: z.string().max(3) })
		expect(() => compose(Short)).toThrow('no example for toy.title')
		expect(compose(z.object({ memberId: z.string().regex(/^\d+$/) }))).toEqual({ memberId: '318' })
	})

	test('composeExample derives ids, times, numbers and choices from the schema', () => {
		const Toy = z.object({
			a: z.string().regex(/^toy_[0-9a-z]{26}$/),
			b: z.iso.datetime(),
			c: z.int(),
			d: z.enum(['red', 'blue']),
			e: z.literal('x').nullable(),
			f: z.boolean().optional(),
		})
		expect(compose(Toy)).toEqual({
			a: expect.stringMatching(/^toy_[0-9a-z]{26}$/),
			b: '2026-03-14T09:26:53.000Z',
			c: 2,
			d: 'red',
			e: 'x',
			f: false,
		})
	})

	test('composeExample leaves out what is marked absent, and writes null where the field is required', () => {
		expect(compose(z.object({ errorMessage: z.string().optional() }))).toEqual({})
		expect(compose(z.object({ errorMessage: z.string().nullable() }))).toEqual({ errorMessage: null })
	})
})

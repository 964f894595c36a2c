import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { requireExactlyOne } from '#schema/contract/kit/bodies/one-of.ts'
import { buildOpenApi } from '#schema/contract/kit/openapi.ts'
import { describeOperations, type Operation } from '#schema/contract/kit/operation.ts'
import document from '#schema/openapi.json' with { type: 'json' }

const operation = describeOperations('Toys')

/** Returns the printed schema of a request body. */
function printBody(body: z.ZodType) {
	const op = operation({
		id: 'ping',
		method: 'post',
		path: '/v1/ping',
		summary: 'S',
		auth: 'public',
		audit: 'none: work',
		body,
	}) as Operation
	// biome-ignore lint/suspicious/noExplicitAny: tests look deep into a printed document
	const { paths } = buildOpenApi([op], [], '1.0.0') as any
	return paths['/v1/ping'].post.requestBody.content['application/json'].schema
}

describe('requireExactlyOne', () => {
	const Body = requireExactlyOne(
		z.object({ email: z.string().optional(), page: z.int().optional(), q: z.string() }),
		['email', 'page'],
	)

	test('requireExactlyOne accepts one of the fields, and rejects none and several', () => {
		expect(Body.safeParse({ email: 'a', q: 'b' }).success).toBe(true)
		for (const wrong of [{ q: 'b' }, { email: 'a', page: 1, q: 'b' }])
			expect(Body.safeParse(wrong).error?.issues).toMatchObject([
				{ message: 'send exactly one of email and page' },
			])
	})

	test('buildOpenApi prints a body with exactly one of several fields as oneOf', () => {
		const email = { type: 'string' }
		const page = { type: 'integer' }
		expect(printBody(Body)).toEqual({
			oneOf: [
				{
					type: 'object',
					properties: { email, q: { type: 'string' } },
					required: ['q', 'email'],
					additionalProperties: false,
				},
				{
					type: 'object',
					properties: { page, q: { type: 'string' } },
					required: ['q', 'page'],
					additionalProperties: false,
				},
			],
		})
	})
})

test('buildOpenApi prints a union of strict bodies as oneOf', () => {
	const forms = [z.object({ email: z.string() }), z.object({ page: z.int() })]
	expect(printBody(z.union(forms)).oneOf).toHaveLength(2)
	expect(printBody(z.union(forms)).anyOf).toBeUndefined()
})

test('no request body of the OpenAPI document is an anyOf, and those with a choice are oneOf', () => {
	type Body = { content: Record<string, { schema?: { anyOf?: unknown; oneOf?: unknown[] } }> }
	const bodies = Object.values(document.paths)
		.flatMap((methods) => Object.values(methods) as { operationId: string; requestBody?: Body }[])
		.map(
			({ operationId, requestBody }) =>
				[operationId, requestBody?.content['application/json']?.schema] as const,
		)
	expect(bodies.filter(([, schema]) => schema?.anyOf)).toEqual([])
	const choices = bodies.filter(([, schema]) => schema?.oneOf).map(([id]) => id)
	expect(choices).toEqual(
		expect.arrayContaining([
			'createMemberToken',
			'expediteDeletion',
			'reauthenticate',
			'updateOrgTier',
			'verifySecondFactor',
		]),
	)
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import '#schema/contract/kit/validation-messages.ts'

const messages = (schema: z.ZodType, value: unknown) =>
	schema.safeParse(value).error?.issues.map(({ message }) => message)

test.each<[z.ZodType, unknown, string]>([
	[z.string(), undefined, 'is missing'],
	[z.string(), 5, 'must be a text'],
	[z.int(), 1.5, 'must be a whole number'],
	[z.boolean(), 'yes', 'must be true or false'],
	[z.array(z.string()), {}, 'must be a list'],
	[z.object({}), null, 'must be an object'],
	[z.string().max(3), 'long', 'must have at most 3 characters'],
	[z.string().min(1), '', 'must not be empty'],
	[z.string().min(2), 'a', 'must have at least 2 characters'],
	[z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
	[z.number().max(3), 4, 'must be at most 3'],
	[z.number().positive(), 0, 'must be more than 0'],
	[z.enum(['a', 'b']), 'c', 'must be one of a, b'],
	[z.enum(['a', 'b']), undefined, 'is missing'],
	[z.literal('a'), 'b', 'must be a'],
	[z.url(), 'x', 'must be a complete URL'],
	[z.email(), 'x', 'must be an email address'],
	[z.string().regex(/^\d+$/), 'x', 'has the wrong format'],
	[z.strictObject({}), { a: 1 }, 'unknown field a'],
	[
		z.union([z.strictObject({ aa: z.int() }), z.strictObject({ code: z.int() })]),
		{ cod: 1 },
		'unknown field cod; did you mean code',
	],
	[z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]), { a: 1, b: 1 }, 'is not valid'],
	[z.string('must be a name'), 5, 'must be a name'],
])('a validation error describes the problem in plain words (%#)', (schema, value, message) => {
	expect(messages(schema, value)).toEqual([message])
})

test('no operation returns words or patterns of the validator', () => {
	const values = [undefined, null, 5, 'x', [], {}, [{}], -1, 1e99, true, '', 'x'.repeat(100_000)]
	const found = allOperations.flatMap(({ id, body, query, params, headers }: Operation) =>
		[body, query, params, headers].flatMap((schema) => {
			if (!schema) return []
			const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
			const inputs = values.flatMap((value) => [
				value,
				Object.fromEntries(fields.map((field) => [field, value])),
			])
			return inputs.flatMap((input) => (messages(schema, input) ?? []).map((message) => `${id}: ${message}`))
		}),
	)
	expect(found.length).toBeGreaterThan(1_000)
	expect(
		[...new Set(found)].filter((text) => /Invalid|Too (big|small)|expected|\/\^|Unrecognized/.test(text)),
	).toEqual([])
})

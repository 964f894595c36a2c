import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import '#schema/contract/kit/validation-messages.ts'

const tooLarge = ['9007199254740992', '9'.repeat(20), '9'.repeat(400)]

/** The fields of requests that take an integer as text. */
const integersIn = (part: 'query' | 'params') =>
	allOperations.flatMap((op) =>
		Object.entries((op[part]?.shape ?? {}) as Record<string, z.ZodType>)
			.filter(([, schema]) => typeof schema.safeParse('7').data === 'number')
			.map(([name, schema]) => [`${op.id} ${name}`, schema] as const),
	)

describe('integers without an exact double', () => {
	test.each(integersIn('query'))(
		'an integer that no double represents exactly is rejected as %s of a query',
		(_, schema) => {
			for (const text of tooLarge) expect(schema.safeParse(text).success, text).toBe(false)
		},
	)

	test.each(integersIn('params').filter(([name]) => name !== 'deleteBookmark postId'))(
		'an integer that no double represents exactly is no id in a path: %s',
		(_, schema) => {
			for (const text of tooLarge) expect(schema.safeParse(text).success).toBe(false)
		},
	)
})

test('the largest page number is a page past the end, and the next one is rejected with the limit', () => {
	const page = allOperations.find(({ id }) => id === 'listBookmarks')?.query?.shape.page as z.ZodType
	expect(page.safeParse('9007199254740991').data).toBe(Number.MAX_SAFE_INTEGER)
	expect(page.safeParse('99999999999999999999').error?.issues[0]?.message).toBe(
		'must be at most 9007199254740991',
	)
	for (const text of ['0', '-1', '1.5', '1e3', '']) expect(page.safeParse(text).success, text).toBe(false)
})

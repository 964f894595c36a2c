import { expect, test } from 'vitest'
import { z } from 'zod'
import { strictBody } from '#schema/contract/kit/bodies/strict-body.ts'
import { formatErrorFields, parseErrorFields } from '../../../../edge/http/body/error-fields.ts'
import { refuseInput } from '../../../../edge/http/body/refuse-input.ts'
import { AppError, errorResponse } from '../../../../edge/http/errors.ts'

function listFields(schema: z.ZodType, value: unknown): string | null {
	const { error } = strictBody(schema, undefined).safeParse(value)
	try {
		return error ? refuseInput(error) : null
	} catch (thrown) {
		return errorResponse(thrown as AppError, '/v1/x').headers.get('x-error-fields')
	}
}

const Body = z.object({ title: z.string(), parts: z.array(z.object({ end: z.number() })) })

test('X-Error-Fields lists the paths of all invalid fields', () => {
	expect(listFields(Body, { parts: [{ end: 'x' }] })).toBe('title, parts.0.end')
})

test('X-Error-Fields lists unknown fields, at any depth', () => {
	expect(listFields(Body, { title: 'x', parts: [{ end: 1, start: 2 }], tilte: 'y' })).toBe(
		'parts.0.start, tilte',
	)
})

test('X-Error-Fields lists a field that no option of a union knows', () => {
	const Either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
	expect(listFields(Either, { a: 'x', c: 1 })).toBe('c')
})

test.each([
	['from: must be in the past', ['from']],
	['page, cursor: send only one of them', ['page', 'cursor']],
	['Upload-Checksum: send an algorithm', ['Upload-Checksum']],
	['the body is missing; send JSON as content-type: application/json', []],
])('the message “%s” names the fields %j', (message, names) => {
	expect(parseErrorFields(message)).toEqual(names)
})

test('X-Error-Fields is ASCII without commas in names, and is bounded in names and length', () => {
	const names = [
		'naïve',
		'a, b\r\nset-cookie',
		...Array.from({ length: 99 }, (_, i) => `${i}${'x'.repeat(9_999)}`),
	]
	const value = formatErrorFields(names) ?? ''
	expect(value).toMatch(/^[\x20-\x7e]+$/)
	expect(value.split(', ').slice(0, 2)).toEqual(['na?ve', 'a??b??set-cookie'])
	expect([value.split(', ').length, value.length < 1_300]).toEqual([20, true])
})

test('an error that is no invalid value has no X-Error-Fields', () => {
	const response = errorResponse(new AppError('conflict', 'slug: is taken'), '/v1/x')
	expect(response.headers.get('x-error-fields')).toBeNull()
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Deprecation } from '#schema/contract/kit/headers/deprecation.ts'
import { buildOpenApi } from '#schema/contract/kit/openapi.ts'
import { describeOperations } from '#schema/contract/kit/operation.ts'

const operation = describeOperations('Toys')
const describeToy = (deprecated?: Deprecation) =>
	operation({
		id: 'getToy',
		method: 'get',
		path: '/v1/toy',
		summary: 'Get a toy',
		description: 'It is red.',
		auth: 'public',
		response: z.object({ data: z.null() }),
		...(deprecated && { deprecated }),
	})

// biome-ignore lint/suspicious/noExplicitAny: the test looks deep into a printed document
const printToy = (deprecated?: Deprecation): any =>
	buildOpenApi([describeToy(deprecated)], [], '1.0.0').paths['/v1/toy']?.get

const constant = (value: string) => ({ required: true, schema: { type: 'string', const: value } })

test('the OpenAPI document marks a deprecated operation and says what to use until when', () => {
	const toy = printToy({ since: '2027-03-01', sunset: '2027-08-28', use: '`getGame`' })
	expect(toy.deprecated).toBe(true)
	expect(toy.description).toMatch(
		/^Deprecated since 2027-03-01; use `getGame`\. It may be removed from 2027-08-28 on\.\n\nIt is red\./,
	)
	expect(toy.responses[200].headers).toMatchObject({
		Deprecation: constant('@1803859200'),
		Sunset: constant('Sat, 28 Aug 2027 00:00:00 GMT'),
	})
})

test('the OpenAPI document lists no Sunset header while the day of removal is not decided', () => {
	const toy = printToy({ since: '2027-03-01', use: '`getGame`' })
	expect(toy.description).toContain('No day of removal is decided.')
	expect(Object.keys(toy.responses[200].headers)).toContain('Deprecation')
	expect(Object.keys(toy.responses[200].headers)).not.toContain('Sunset')
})

test('the OpenAPI document marks no other operation as deprecated', () => {
	const toy = printToy()
	expect(toy).not.toHaveProperty('deprecated')
	expect(Object.keys(toy.responses[200].headers)).not.toContain('Deprecation')
})

test.each([
	['notice of less than 180 days', { since: '2027-03-01', sunset: '2027-08-27' }],
	['malformed day', { since: 'March 1' }],
	['malformed day', { since: '2027-03-01', sunset: 'August 28' }],
])('a deprecation can’t be described with a %s: %o', (_, days) => {
	expect(() => describeToy({ ...days, use: '`getGame`' })).toThrow(RangeError)
})

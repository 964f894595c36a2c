import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { printSdk } from '../../../scripts/lib/sdk/sources.ts'
import { isUnion, printDoc, TypePrinter } from '../../../scripts/lib/sdk/type-printer.ts'

const Color = z.enum(['red', 'green']).meta({ id: 'Color' })

const Text = z.string().meta({ examples: ['north'] })

const operation = (fields: Partial<Operation>): Operation =>
	({
		id: 'paintWall',
		sdk: 'walls.paint',
		tag: 'Walls',
		method: 'post',
		path: '/v1/walls/{wallId}',
		summary: 'Paint a wall',
		auth: 'write',
		audit: 'none: content',
		status: 200,
		params: z.object({ wallId: Text }),
		...fields,
	}) as Operation

const printOperations = (...operations: Operation[]) => printSdk(operations).get('operations.ts') ?? ''

test('enums of the SDK allow unknown values in responses, but not in requests', () => {
	const source = printOperations(
		operation({ body: z.object({ color: Color }), response: z.object({ color: Color, side: Text }) }),
	)
	expect(source).toContain('export type Color = "red" | "green" | (string & {})\n')
	expect(source).toContain('export type ColorInput = "red" | "green"\n')
	expect(source).toContain(
		'export type PaintWallInput = {\n\twallId: string\n} & {\n\tcolor: ColorInput\n}\n',
	)
	expect(source).toContain('export type PaintWallOutput = {\n\tcolor: Color\n\tside: string\n}\n')
})

test('a flag in the query is a boolean in the SDK, and optional fields accept undefined', () => {
	const query = z.object({ dry: z.enum(['true', 'false']).optional() })
	expect(printOperations(operation({ query }))).toContain('dry?: boolean | undefined\n')
})

test('the generator of the SDK rejects a field that is in both path and body', () => {
	const body = z.object({ wallId: Text })
	expect(() => printOperations(operation({ body }))).toThrow(
		'paintWall has wallId in more than one of path, query and body; rename one in the contract',
	)
})

test('the doc comment of an SDK operation contains its summary, route and specific errors', () => {
	const source = printOperations(operation({ errors: ['conflict'] }))
	expect(source).toContain('* Paint a wall\n')
	expect(source).toContain('* `POST /v1/walls/{wallId}`\n')
	expect(source).toContain('* Errors: `not_found` (404), `conflict` (409)')
})

test('the SDK marks deprecated operations and fields with @deprecated, and no others', () => {
	const response = z.object({ old: Text.meta({ deprecated: true }), side: Text })
	const deprecated = { since: '2027-03-01', use: '`walls.cover`' }
	const source = printSdk([operation({ response, deprecated })])
	const notice = '@deprecated Deprecated since 2027-03-01; use `walls.cover`. No day of removal is decided.'
	const operations = source.get('operations.ts') ?? ''
	// The operation and its function.
	expect(operations.split(notice)).toHaveLength(3)
	expect(operations).toContain('\t/** @deprecated */\n\told: string\n\tside: string\n')
	expect([...printSdk([operation({})]).values()].join('')).not.toContain('@deprecated')
})

test('an array of a union is printed with parentheses, whatever its members contain', () => {
	const printer = new TypePrinter({})
	const item = { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] }
	expect(printer.print({ type: 'array', items: item }, 'output')).toBe('({\n\ta?: string\n} | null)[]')
	expect(printer.print({ type: 'array', items: { type: 'string', const: 'a|b' } }, 'output')).toBe('"a|b"[]')
})

test.each([
	['{ a: "x" | "y" }', false],
	['Record<string, "x" | "y">', false],
	['{ a: 1 } | { b: 2 }', true],
	['"{" | "}"', true],
])('the type %s is a union: %s', (type, expected) => {
	expect(isUnion(type)).toBe(expected)
})

test('a description can’t end the comment that contains the description', () => {
	expect(printDoc(['Any type: */*'])).toBe('/** Any type: *\\/* */\n')
})

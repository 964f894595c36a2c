import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import '#schema/contract/kit/validation-messages.ts'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { findOpenBody } from '#schema/contract/kit/bodies/open-bodies.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { describeOperations } from '#schema/contract/kit/operation.ts'
import { createPlaybackToken, PublicSettings, updateAsset } from '#schema/contract/video/assets.ts'

const operation = describeOperations('Toys')

type Json = { [key: string]: unknown }

/** Lists the objects of a printed body that accept unknown fields, by their path. Records are meant to. */
function openObjects(schema: unknown, definitions: Json, path = ''): string[] {
	const inside = (inner: unknown, name?: string) =>
		openObjects(inner, definitions, [path, name].filter(Boolean).join('.'))
	if (Array.isArray(schema)) return schema.flatMap((item) => inside(item))
	if (typeof schema !== 'object' || schema === null) return []
	const { properties, $ref, $defs: _, ...others } = schema as Json & { properties?: Json; $ref?: string }
	return [
		...(properties && others.additionalProperties !== false ? [path] : []),
		...($ref ? inside(definitions[$ref.replace('#/$defs/', '')]) : []),
		...Object.entries(properties ?? {}).flatMap(([name, inner]) => inside(inner, name)),
		...Object.values(others).flatMap((inner) => inside(inner)),
	]
}

const printed = ({ body = z.undefined() }: Operation): Json =>
	z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
const openObjectsOf = (op: Operation): string[] => {
	const schema = printed(op)
	return openObjects(schema, (schema.$defs ?? {}) as Json)
}

const withBody = allOperations.filter(({ body }) => body)
const messagesOf = ({ body }: Operation, value: unknown): string[] =>
	body?.safeParse(value).error?.issues.map(({ message }) => message) ?? []

describe('request bodies', () => {
	test('no request body accepts an unknown field, at any depth, unless openBody allows it', () => {
		const open = Object.fromEntries(
			withBody
				.map((op) => [op, openObjectsOf(op)] as const)
				.filter(([op, paths]) => {
					const { field, reason } = findOpenBody(op) ?? {}
					const isListed = (path: string) => path === field || path.startsWith(`${field}.`)
					return !(reason && field === undefined) && !paths.every(isListed)
				})
				.map(([op, paths]) => [op.id, paths]),
		)
		expect(open).toEqual({})
	})

	test.each(withBody.filter((op) => !findOpenBody(op) || findOpenBody(op)?.field).map((op) => [op.id, op]))(
		'the error of %s names an unknown field of its body',
		(_, op) => {
			expect(messagesOf(op as Operation, { zzzUnknown: 1 }).join()).toMatch(/unknown field zzzUnknown/)
		},
	)

	test('openBody names only existing fields', () => {
		for (const op of allOperations)
			if (op.openBody?.field) expect(JSON.stringify(printed(op)), op.id).toContain(`"${op.openBody.field}"`)
	})

	test('the error for an unknown field suggests the field that the caller may have meant', () => {
		expect(messagesOf(updateAsset, { visiblity: 'signed' })[0]).toBe(
			'unknown field visiblity; did you mean visibility',
		)
		expect(messagesOf(createApiKey, { name: 'x', expires_at: null })[0]).toBe(
			'unknown field expires_at; did you mean expiresAt',
		)
		expect(messagesOf(createApiKey, { name: 'x', scope: ['read'] })[0]).toBe(
			'unknown field scope; did you mean scopes',
		)
		expect(messagesOf(createPlaybackToken, { expiresIn: 60 })[0]).toMatch(
			/^unknown field expiresIn; did you mean/,
		)
		expect(messagesOf(updateAsset, { publicSettings: { showComment: true } })[0]).toBe(
			'unknown field showComment; did you mean showComments',
		)
	})

	test('errors truncate unknown names of fields, and count those beyond five', () => {
		const fields = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}\u0007${'x'.repeat(99)}`, 1]))
		const [message = ''] = messagesOf(createApiKey, { name: 'x', ...fields })
		expect(message).toMatch(/^unknown fields 0\?x+, 1\?x+, 2\?x+, 3\?x+, 4\?x+ and 4 more$/)
		expect(message.length).toBeLessThan(300)
	})

	test('strict request bodies leave the schemas that responses share open', () => {
		expect(PublicSettings.partial().safeParse({ later: true }).success).toBe(true)
	})

	test('strict request bodies reject a recursive schema, whose copy would never end', () => {
		const Tree: z.ZodType = z.object({ child: z.lazy(() => Tree) })
		const op = {
			id: 'x',
			method: 'post',
			path: '/x',
			tag: 't',
			summary: 's',
			auth: 'public',
			audit: 'none: work',
			status: 200,
		} as const
		expect(() => operation({ ...op, body: Tree })).toThrow('recursive')
	})
})

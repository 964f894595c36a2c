/** @module-tag d1 */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { signup } from '#schema/contract/accounts/identity.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { propertyRuns } from '../../support/shared/property-runs.ts'

let world: World
let ada: Person
beforeAll(async () => {
	world = await openWorld()
	ada = await world.person()
})

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
	world.fetch(
		new Request('https://edge.test/v1/auth/signup', {
			method: 'POST',
			body,
			headers: { 'content-type': 'application/json', ...headers },
		}),
	)
const bytes = (...parts: (string | number[])[]) =>
	new Uint8Array(
		parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)),
	)

describe('an invalid body', () => {
	const fine = '{"email":"a@example.org","password":"long enough","name":"A"}'
	const cases: [title: string, body: BodyInit, status: number, headers?: Record<string, string>][] = [
		['no JSON', '{"email":', 400],
		['an empty body', '', 400],
		[
			'a key twice',
			'{"email":"a@example.org","email":"b@example.org","password":"long enough","name":"A"}',
			400,
		],
		['a key twice, once written differently', '{"name":"A","n\\u0061me":"B"}', 400],
		['a NUL in a value', '{"email":"a@example.org","password":"long enough","name":"A\\u0000B"}', 400],
		['a NUL in a key', '{"na\\u0000me":"x"}', 400],
		['half a surrogate pair', '{"email":"a@example.org","password":"long enough","name":"\\ud800"}', 400],
		['invalid UTF-8', bytes('{"name":"', [0xff, 0xfe], '"}'), 400],
		['an overlong encoding', bytes('{"name":"', [0xc0, 0x80], '"}'), 400],
		['nesting without end', '['.repeat(100_000) + ']'.repeat(100_000), 400],
		['ten megabytes', `{"name":"${'x'.repeat(10_000_000)}"}`, 413],
		['another type', fine, 415, { 'content-type': 'text/plain' }],
		['a form', 'email=a%40example.org', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
	]
	test.each(cases)('an invalid body is rejected: %s', async (_, body, status, headers) => {
		const response = await post(body, headers)
		expect(response.status).toBe(status)
		expect(await response.json()).toEqual({ error: expect.any(String) })
		expect(response.headers.get('x-error-code')).toEqual(expect.any(String))
	})

	test('a body of ten megabytes without a content-length is rejected while it streams', async () => {
		let pulled = 0
		const endless = new ReadableStream({
			pull(controller) {
				pulled++
				controller.enqueue(new Uint8Array(65_536).fill(0x20))
				if (pulled > 1_000) controller.close()
			},
		})
		const response = await post(endless)
		expect(response.status).toBe(413)
		expect(pulled).toBeLessThan(100)
	})

	test('SQL and HTML in a text are stored unchanged', async () => {
		for (const [i, name] of [
			`'); DROP TABLE users; --`,
			'<script>alert(1)</script>',
			`$\{7*7}`,
			'{{7*7}}',
			'🎬 電影',
		].entries()) {
			const body = { email: `text${i}@example.org`, password: `${name} long enough`, name }
			const answer = await world.ask(signup, { body }, { ip: `203.0.113.${i}` })
			expect(answer.ok.data.user.name).toBe(name)
		}
	})
})

describe('an invalid request URL', () => {
	const get = (path: string, method = 'GET') =>
		world.fetch(new Request(`https://edge.test${path}`, { method }))
	test('an invalid request URL answers 404 in JSON in the error format of its wire family', async () => {
		for (const path of [
			'/nope',
			'/v1/nope',
			'/v1/orgs/%00',
			'/api/headless/v1/nope',
			'/v1/orgs/..%2f..',
			'/%ff',
		]) {
			const response = await get(path)
			expect([401, 404], path).toContain(response.status)
			expect(Object.keys((await response.json()) as object)).toEqual(['error'])
		}
		const account = await get('/api/users/account/nope/')
		expect([account.status, await account.json()]).toEqual([404, { detail: 'not found' }])
	})

	test('a request with an invalid host answers 400', async () => {
		const request = new Request('https://edge.test/v1/orgs')
		const broken = new Proxy(request, {
			get: (target, key) => (key === 'url' ? 'http://[/v1/orgs' : Reflect.get(target, key, target)),
		})
		const response = await world.fetch(broken)
		expect([response.status, response.headers.get('x-error-code')]).toEqual([400, 'malformed'])
		expect(response.headers.get('x-request-id')).not.toBe(null)
	})

	test('a wrong method answers 405 and lists the allowed ones', async () => {
		const response = await get('/v1/auth/login', 'GET')
		expect(response.status).toBe(405)
		expect(response.headers.get('allow')).toBe('POST, OPTIONS')
		expect((await get('/v1/orgs', 'DELETE')).headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
	})
})

/** Values of every type, and values that are almost valid. */
const junk = fc.oneof(
	fc.constantFrom(
		null,
		true,
		-1,
		0,
		2 ** 53,
		1e308,
		'',
		' ',
		'\u202e',
		'a@b.c',
		'org_01',
		'1e3',
		'x'.repeat(3000),
	),
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.jsonValue({ maxDepth: 3 }),
)
const queryJunk = fc.oneof(
	fc.constantFrom(
		'',
		'-1',
		'1.5',
		'1e3',
		'999999999999',
		'NaN',
		'%',
		"' or 1=1 --",
		'\r\nX-Injected: 1',
		'\ud800',
	),
	fc.string({ maxLength: 30 }),
)

const fieldsOf = (schema: z.ZodType | undefined): string[] => {
	const json =
		schema && (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as { properties?: object })
	return Object.keys(json?.properties ?? {})
}

describe.each(allOperations.map((op) => [op.id, op] as const))('%s', (_, op: Operation) => {
	const credentials = () => ({ authorization: `Bearer ${ada.token}` })

	test('arbitrary input gets no 5xx response', async () => {
		const bodyFields = fieldsOf(op.body)
		const queryFields = fieldsOf(op.query)
		await fc.assert(
			fc.asyncProperty(
				fc.tuple(fc.record(Object.fromEntries(bodyFields.map((f) => [f, junk])), { requiredKeys: [] }), junk),
				fc.record(Object.fromEntries(queryFields.map((f) => [f, queryJunk])), { requiredKeys: [] }),
				fc.string({ minLength: 1, maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
				fc.boolean(),
				async ([fields, whole], query, param, signedIn) => {
					const path = op.path.replaceAll(/\{(\w+)\}/g, (_all, name) =>
						name === 'orgId' ? ada.orgId : param,
					)
					const search = new URLSearchParams(query as Record<string, string>)
					const response = await world.fetch(
						new Request(`https://edge.test${path}?${search}`, {
							method: op.method.toUpperCase(),
							headers: { 'content-type': 'application/json', ...(signedIn && credentials()) },
							...(!['get', 'head'].includes(op.method) && {
								body: JSON.stringify(Object.keys(fields).length > 0 ? fields : whole),
							}),
						}),
					)
					const allowed =
						[501, 503].includes(response.status) &&
						['unavailable', 'not_configured'].includes(response.headers.get('x-error-code') ?? '')
					expect(response.status < 500 || allowed, `${response.status}`).toBe(true)
					expect(response.headers.has('x-injected')).toBe(false)
				},
			),
			{ numRuns: propertyRuns(10) },
		)
		ada = await world.person()
	})
})

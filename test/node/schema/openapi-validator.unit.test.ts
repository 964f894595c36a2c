import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Operation, operation } from '#schema/contract/operation.ts'
import { checkResponse } from '../../shared/openapi-validator.ts'

const op = operation({
	id: 'getThing',
	method: 'get',
	path: '/v1/things',
	tag: 'T',
	summary: 'S',
	auth: 'session',
	status: 200,
	response: z.object({ data: z.array(z.object({ id: z.string(), note: z.string().optional() })) }),
	errors: ['gone'],
})

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
	Response.json(body, { status, headers: { 'x-request-id': 'r', ...headers } })
const refusal = (status: number, code: string, body: unknown = { error: 'no' }, headers = {}) =>
	answer(status, body, { 'x-error-code': code, ...headers })

describe('checkResponse', () => {
	test('accepts what the contract says, and leaves the answer to be read', async () => {
		const fine = answer(200, { data: [{ id: 'a' }, { id: 'b', note: 'n' }] })
		await checkResponse(op, fine)
		expect(await fine.json()).toEqual({ data: [{ id: 'a' }, { id: 'b', note: 'n' }] })
		await checkResponse(op, refusal(410, 'gone'))
		await checkResponse(op, refusal(401, 'unauthorized'))
		await checkResponse(op, refusal(429, 'too_many_requests', { error: 'slow down' }, { 'retry-after': '3' }))
	})

	test.each<[string, Response]>([
		['body.data.0.secret is not in the contract', answer(200, { data: [{ id: 'a', secret: 1 }] })],
		['body.data.0.id', answer(200, { data: [{}] })],
		['content-type', new Response('{}', { headers: { 'x-request-id': 'r', 'content-type': 'text/html' } })],
		['not JSON', new Response('{', { headers: { 'x-request-id': 'r', 'content-type': 'application/json' } })],
		['x-request-id is missing', Response.json({ data: [] })],
		['no paged list', answer(200, { data: [] }, { 'x-next-cursor': 'c' })],
		['x-error-code is null', answer(201, { data: [] })],
		['x-error-code is made_up', refusal(400, 'made_up')],
		['gone is 410', refusal(404, 'gone')],
		['does not list plan_limit', refusal(403, 'plan_limit')],
		['body', refusal(410, 'gone', { error: 'no', stack: 's' })],
		['body', refusal(410, 'gone', { detail: 'no' })],
		['retry-after is missing', refusal(429, 'too_many_requests')],
	])('objects: %s', async (problem, wrong) => {
		await expect(checkResponse(op, wrong)).rejects.toThrow(problem)
	})

	test('wants the challenge in the headless family, and its own words in the account family', async () => {
		const headless: Operation = { ...op, path: '/api/headless/v1/things' }
		await expect(checkResponse(headless, refusal(401, 'unauthorized'))).rejects.toThrow('www-authenticate')
		await checkResponse(
			headless,
			refusal(401, 'unauthorized', { error: 'no' }, { 'www-authenticate': 'Bearer' }),
		)
		const account: Operation = { ...op, path: '/api/users/account/things/', query: z.object({}) }
		await checkResponse(account, refusal(410, 'gone', { detail: 'no' }))
		await checkResponse(account, refusal(400, 'validation', { token: ['is needed'] }))
		await expect(checkResponse(account, refusal(410, 'gone'))).rejects.toThrow('body')
	})

	test('wants no body where the contract has none', async () => {
		const { response: _, ...rest } = op
		const silent: Operation = { ...rest, status: 204 }
		await checkResponse(silent, new Response(null, { status: 204, headers: { 'x-request-id': 'r' } }))
	})
})

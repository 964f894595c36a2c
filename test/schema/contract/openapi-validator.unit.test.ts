import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describeOperations, type Operation } from '#schema/contract/kit/operation.ts'
import { checkResponse } from '../../support/shared/openapi-validator.ts'

const operation = describeOperations('Toys')

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

const response = (status: number, body: unknown, headers: Record<string, string> = {}) =>
	Response.json(body, { status, headers: { 'x-request-id': 'r', ...headers } })
const errorResponse = (status: number, code: string, body: unknown = { error: 'no' }, headers = {}) =>
	response(status, body, { 'x-error-code': code, ...headers })

describe('checkResponse', () => {
	test('checkResponse accepts a matching response and leaves its body readable', async () => {
		const valid = response(200, { data: [{ id: 'a' }, { id: 'b', note: 'n' }] })
		await checkResponse(op, valid)
		expect(await valid.json()).toEqual({ data: [{ id: 'a' }, { id: 'b', note: 'n' }] })
		await checkResponse(op, errorResponse(410, 'gone'))
		await checkResponse(op, errorResponse(401, 'unauthorized'))
		await checkResponse(
			op,
			errorResponse(429, 'too_many_requests', { error: 'slow down' }, { 'retry-after': '3' }),
		)
	})

	test.each<[string, Response]>([
		['body.data.0.secret is not in the contract', response(200, { data: [{ id: 'a', secret: 1 }] })],
		['body.data.0.id', response(200, { data: [{}] })],
		['content-type', new Response('{}', { headers: { 'x-request-id': 'r', 'content-type': 'text/html' } })],
		['not JSON', new Response('{', { headers: { 'x-request-id': 'r', 'content-type': 'application/json' } })],
		['x-request-id is missing', Response.json({ data: [] })],
		['x-next-cursor but is not a paged list', response(200, { data: [] }, { 'x-next-cursor': 'c' })],
		['x-error-code is null', response(201, { data: [] })],
		['x-error-code is made_up', errorResponse(400, 'made_up')],
		['gone is 410', errorResponse(404, 'gone')],
		['does not list plan_limit', errorResponse(403, 'plan_limit')],
		['body', errorResponse(410, 'gone', { error: 'no', stack: 's' })],
		['body', errorResponse(410, 'gone', { detail: 'no' })],
		['retry-after is missing', errorResponse(429, 'too_many_requests')],
	])('checkResponse rejects a wrong response: %s', async (problem, wrong) => {
		await expect(checkResponse(op, wrong)).rejects.toThrow(problem)
	})

	test('checkResponse requires the challenge of the headless family and the errors of the account family', async () => {
		const headless: Operation = { ...op, path: '/api/headless/v1/things' }
		await expect(checkResponse(headless, errorResponse(401, 'unauthorized'))).rejects.toThrow(
			'www-authenticate',
		)
		await checkResponse(
			headless,
			errorResponse(401, 'unauthorized', { error: 'no' }, { 'www-authenticate': 'Bearer' }),
		)
		const account: Operation = { ...op, path: '/api/users/account/things/', query: z.object({}) }
		await checkResponse(account, errorResponse(410, 'gone', { detail: 'no' }))
		await checkResponse(account, errorResponse(400, 'validation', { token: ['is needed'] }))
		await expect(checkResponse(account, errorResponse(410, 'gone'))).rejects.toThrow('body')
	})

	test('checkResponse accepts a response without a body if the contract has none', async () => {
		const { response: _, ...rest } = op
		const silent: Operation = { ...rest, status: 204 }
		await checkResponse(silent, new Response(null, { status: 204, headers: { 'x-request-id': 'r' } }))
	})
})

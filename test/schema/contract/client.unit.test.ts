import { expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError, createClient } from '#schema/contract/kit/client.ts'
import { describeOperations } from '#schema/contract/kit/operation.ts'

const operation = describeOperations('Toys')

const rename = operation({
	id: 'rename',
	method: 'patch',
	path: '/v1/things/{thingId}/names/{nameId}',
	tag: 'Test',
	summary: 'Rename a thing',
	auth: 'write',
	audit: 'none: work',
	params: z.object({ thingId: z.string(), nameId: z.string() }),
	query: z.object({ limit: z.string().optional(), q: z.string().optional() }),
	body: z.object({ name: z.string() }),
	status: 200,
	response: z.object({ data: z.object({ name: z.string() }) }),
})
const input = { params: { thingId: 'a/b', nameId: '1' }, body: { name: 'new' } }

type Sent = {
	url: string
	method: string
	headers: Record<string, string>
	body?: string
	signal?: AbortSignal
}

function clientReturning(response: Response) {
	const sent: Sent[] = []
	const client = createClient<AbortSignal>({
		baseUrl: 'https://edge.test/',
		token: 'standard',
		async fetch(url, init) {
			sent.push({ url, ...init })
			return response
		},
	})
	return { client, sent }
}

test('the API client builds the request from the operation and its input', async () => {
	const { client, sent } = clientReturning(Response.json({ data: { name: 'new' } }))
	const { signal } = new AbortController()
	const query = { q: 'ä&b', limit: undefined as unknown as string }
	const response = await client.call(rename, { ...input, query }, { signal, idempotencyKey: 'k1' })
	expect(response).toEqual({ data: { name: 'new' } })
	expect(sent).toEqual([
		{
			url: 'https://edge.test/v1/things/a%2Fb/names/1?q=%C3%A4%26b',
			method: 'PATCH',
			headers: {
				accept: 'application/json',
				authorization: 'Bearer standard',
				'content-type': 'application/json',
				'idempotency-key': 'k1',
			},
			body: '{"name":"new"}',
			signal,
		},
	])
})

test('the token of a call overrides the token of the API client', async () => {
	const { client, sent } = clientReturning(Response.json({ data: { name: 'new' } }))
	await client.call(rename, input, { token: 'other' })
	expect(sent[0]?.headers.authorization).toBe('Bearer other')
})

test('the API client throws an ApiError with status, code, request id and Retry-After', async () => {
	const headers = { 'x-error-code': 'too_many_requests', 'x-request-id': 'request-1', 'retry-after': '7' }
	const { client } = clientReturning(Response.json({ error: 'slow down' }, { status: 429, headers }))
	const error = await client.call(rename, input).catch((error: unknown) => error)
	expect(error).toBeInstanceOf(ApiError)
	expect(error).toMatchObject({
		message: 'rename: 429 slow down',
		status: 429,
		code: 'too_many_requests',
		requestId: 'request-1',
		retryAfterSeconds: 7,
	})
})

test('the API client throws an ApiError without a code for the error response of a proxy', async () => {
	const { client } = clientReturning(new Response('<html>Bad gateway</html>', { status: 502 }))
	await expect(client.call(rename, input)).rejects.toMatchObject({
		message: 'rename: 502 without a message',
		code: null,
		retryAfterSeconds: null,
	})
})

test('an ApiError of the API client lists the fields of X-Error-Fields', async () => {
	const headers = { 'x-error-code': 'validation', 'x-error-fields': 'name, parts.0.end' }
	const { client } = clientReturning(Response.json({ error: 'bad' }, { status: 400, headers }))
	await expect(client.call(rename, input)).rejects.toMatchObject({ fields: ['name', 'parts.0.end'] })
})

test.each([['{"data":{}}'], ['<html>']])(
	'the API client throws for a response that does not match the contract: %s',
	async (text) => {
		const { client } = clientReturning(new Response(text))
		await expect(client.call(rename, input)).rejects.toThrow(
			'rename: the response does not match the contract',
		)
	},
)

import { describe, expect, test } from 'vitest'
import { call } from '../../sdk/src/call.ts'
import { createClient } from '../../sdk/src/client.ts'
import * as errors from '../../sdk/src/errors.ts'
import {
	createAsset,
	deleteAsset,
	getAsset,
	listAssets,
	listOrgs,
	listSpacePosts,
	updateAsset,
} from '../../sdk/src/generated/operations.ts'
import { Playhouse } from '../../sdk/src/playhouse.ts'
import { type Answer, answer, breakConnection, startFailingServer } from './failing-server.node.ts'

const asset = { data: { id: 'ast_1' } }
const connect = (url: string) => createClient({ baseUrl: url, apiKey: 'phk_live_secret' })
const fail = (status: number, code: string) => answer(status, { error: 'not now' }, { 'x-error-code': code })

describe('repetitions', () => {
	const failures = [
		['a broken connection', breakConnection],
		['429', fail(429, 'too_many_requests')],
		['503', fail(503, 'unavailable')],
		['409 while the first try runs', fail(409, 'request_in_flight')],
	] as const
	const calls = [
		['GET', (url: string) => call(connect(url), getAsset, { assetId: 'a' })],
		['POST with an idempotency key', (url: string) => call(connect(url), createAsset, { title: 'Film' })],
	] as const
	const matrix = failures.flatMap(([name, failure]) =>
		calls.map(([kind, send]) => [kind, name, send, failure] as const),
	)
	test.each(matrix)(
		'the SDK retries %s after %s, with an identical request',
		async (_kind, _name, send, failure) => {
			const { url, received } = await startFailingServer(failure, failure, answer(200, asset))
			expect(await send(url)).toMatchObject({ id: 'ast_1' })
			expect(received).toHaveLength(3)
			expect(new Set(received.map(({ body, headers }) => `${body} ${headers['idempotency-key']}`)).size).toBe(
				1,
			)
		},
	)

	const writes = [
		['PATCH', (url: string) => call(connect(url), updateAsset, { assetId: 'a', title: 'Film' })],
		['DELETE', (url: string) => call(connect(url), deleteAsset, { assetId: 'a' })],
	] as const
	test.each(
		failures.flatMap(([name, failure]) => writes.map(([kind, send]) => [kind, name, send, failure] as const)),
	)('the SDK sends %s once, even after %s', async (_kind, _name, send, failure) => {
		const { url, received } = await startFailingServer(failure, answer(200, asset))
		await expect(send(url)).rejects.toThrow(errors.PlayhouseError)
		expect(received).toHaveLength(1)
	})

	test.each([
		['conflict', 409],
		['idempotency_mismatch', 422],
		['plan_limit', 403],
	])('the SDK does not retry a call after %s', async (code, status) => {
		const { url, received } = await startFailingServer(fail(status, code), answer(200, asset))
		await expect(call(connect(url), createAsset, { title: 'Film' })).rejects.toMatchObject({ code, status })
		expect(received).toHaveLength(1)
	})

	test('each call that creates a record has its own idempotency key, or the key of the caller', async () => {
		const { url, received } = await startFailingServer(answer(201, asset))
		await call(connect(url), createAsset, { title: 'Film' })
		await call(connect(url), createAsset, { title: 'Film' })
		await call(connect(url), createAsset, { title: 'Film' }, { idempotencyKey: 'mine' })
		const keys = received.map(({ headers }) => headers['idempotency-key'])
		expect(new Set(keys).size).toBe(3)
		expect(keys[2]).toBe('mine')
		await expect(
			call(connect(url), updateAsset, { assetId: 'a' }, { idempotencyKey: 'mine' }),
		).rejects.toThrow('takes no idempotency key; remove idempotencyKey')
	})

	test('no write happens twice, even if four in five responses fail after the write', async () => {
		const CALLS = 250
		const madeByKey = new Map<unknown, number>()
		let requests = 0
		const { url } = await startFailingServer((response, request) => {
			const key = request.headers['idempotency-key']
			const id = madeByKey.get(key) ?? madeByKey.size
			madeByKey.set(key, id)
			const isFailure = requests++ % 5 < 4
			const given = isFailure ? fail(503, 'unavailable') : answer(201, { data: { id } })
			given(response, request)
		})
		const client = createClient({ baseUrl: url, retries: 1_000 })
		const made = await Promise.all(
			Array.from({ length: CALLS }, () => call(client, createAsset, { title: 'Film' })),
		)
		expect(new Set(made.map(({ id }) => id)).size).toBe(CALLS)
		expect(madeByKey.size).toBe(CALLS)
		expect(requests - CALLS).toBeGreaterThanOrEqual(900)
	})
})

describe('responses that are none of the API', () => {
	const badGateway: Answer = answer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' })
	test.each([
		['a page of a proxy', answer(200, '<html>Please sign in</html>'), 'UnexpectedResponseError'],
		['half a document', answer(200, '{"data":{"id":"as'), 'UnexpectedResponseError'],
		['a document without data', answer(200, '{"id":"ast_1"}'), 'UnexpectedResponseError'],
		['null', answer(200, 'null'), 'UnexpectedResponseError'],
		['no body', answer(204, ''), 'UnexpectedResponseError'],
		['a redirect', answer(302, '', { location: 'https://other.example.com/' }), 'UnexpectedResponseError'],
		['an error page', badGateway, 'ServerError'],
	])('%s is a typed error without the credential', async (_name, given, name) => {
		const { url } = await startFailingServer(given)
		const error = await connect(url)
			.authorize()
			.then(() => call(connect(url), getAsset, { assetId: 'a' }, { retries: 0 }))
			.catch((error: unknown) => error)
		expect(error).toMatchObject({ name, code: null })
		expect(error).toBeInstanceOf(errors.PlayhouseError)
		expect(JSON.stringify(error) + String(error)).not.toContain('secret')
	})

	test('a call does not follow a redirect to another origin', async () => {
		const other = await startFailingServer(answer(200, asset))
		const { url } = await startFailingServer(answer(307, '', { location: `${other.url}/v1/assets/a` }))
		await expect(call(connect(url), getAsset, { assetId: 'a' })).rejects.toThrow(
			errors.UnexpectedResponseError,
		)
		expect(other.received).toEqual([])
	})

	test('the SDK returns unknown fields and values unchanged', async () => {
		const { url } = await startFailingServer(
			answer(200, { data: { status: 'dreaming', newField: 1 }, meta: {} }),
		)
		expect(await call(connect(url), getAsset, { assetId: 'a' })).toEqual({ status: 'dreaming', newField: 1 })
	})
})

test('a refused If-Match is a conflict that names what has changed', async () => {
	const headers = { 'x-error-code': 'precondition_failed', 'x-error-fields': 'title' }
	const { url } = await startFailingServer(answer(412, { error: 'title: changed' }, headers))
	const error = await call(connect(url), createAsset, { title: 'Film' })
		.send()
		.catch((error: unknown) => error)
	expect(error).toBeInstanceOf(errors.ConflictError)
	expect(error).toMatchObject({ code: 'precondition_failed', fields: ['title'] })
})

test('an error contains the status, code, fields, request id and Retry-After of the response', async () => {
	const headers = { 'x-error-code': 'validation', 'x-error-fields': 'title, color', 'x-request-id': 'r1' }
	const { url } = await startFailingServer(answer(400, { error: 'title: is too long' }, headers))
	const error = await call(connect(url), createAsset, { title: '' })
		.send()
		.catch((error: unknown) => error)
	expect(error).toBeInstanceOf(errors.InvalidRequestError)
	expect(error).toMatchObject({
		message: 'POST /v1/assets: 400 title: is too long',
		status: 400,
		code: 'validation',
		fields: ['title', 'color'],
		requestId: 'r1',
		retryAfterSec: 0,
	})
})

describe('calls that end early', () => {
	const never: Answer = () => {}
	test('a call without a response within the timeout throws a TimeoutError', async () => {
		const { url } = await startFailingServer(never)
		const late = call(connect(url), updateAsset, { assetId: 'a' }, { timeoutMs: 30 })
		await expect(late).rejects.toThrow(errors.TimeoutError)
	})

	test('a call whose signal is aborted throws a CanceledError, and is not retried', async () => {
		const { url, received } = await startFailingServer(never)
		const end = new AbortController()
		const ended = call(connect(url), getAsset, { assetId: 'a' }, { signal: end.signal }).send()
		await expect.poll(() => received.length).toBe(1)
		end.abort()
		await expect(ended).rejects.toMatchObject({ name: 'CanceledError' })
		expect(received).toHaveLength(1)
	})

	test('aborting the signal also ends the pause before a retry', async () => {
		const { url, received } = await startFailingServer(answer(503, '', { 'retry-after': '60' }))
		const end = new AbortController()
		const ended = call(connect(url), getAsset, { assetId: 'a' }, { signal: end.signal }).send()
		await expect.poll(() => received.length).toBe(1)
		end.abort()
		await expect(ended).rejects.toMatchObject({ name: 'CanceledError' })
	})

	test('a call to a host without a server throws a ConnectionError', async () => {
		const { url, received } = await startFailingServer(breakConnection)
		await expect(call(connect(url), updateAsset, { assetId: 'a' })).rejects.toMatchObject({
			name: 'ConnectionError',
		})
		expect(received).toHaveLength(1)
	})
})

describe('lists', () => {
	const collect = async <Item>(items: AsyncIterable<Item>) => {
		const all: Item[] = []
		for await (const item of items) all.push(item)
		return all
	}

	test('awaiting a list returns the first page, and iterating a list returns all pages', async () => {
		const pages: Answer = (response, { path }) => {
			const cursor = new URL(path, 'http://x').searchParams.get('cursor')
			const next = { null: 'two', two: 'three' }[String(cursor)]
			response.writeHead(200, next ? { 'x-next-cursor': next } : {}).end(JSON.stringify({ data: [cursor] }))
		}
		const { url, received } = await startFailingServer(pages)
		const list = () => call(connect(url), listAssets, { limit: 1 })
		expect(await list()).toEqual([null])
		expect((await list().withResponse()).nextCursor).toBe('two')
		expect(await collect(list())).toEqual([null, 'two', 'three'])
		expect(received.at(-1)?.path).toBe('/v1/assets?limit=1&cursor=three')
	})

	test('the cursor of the next page is read from the body where a proxy removes the header', async () => {
		const pages: Answer = (response, { path }) => {
			const cursor = new URL(path, 'http://x').searchParams.get('cursor')
			response.end(JSON.stringify({ data: [cursor], next: cursor === null ? 'two' : null }))
		}
		const { url } = await startFailingServer(pages)
		const list = () => call(connect(url), listOrgs, { limit: 1 })
		expect((await list().withResponse()).nextCursor).toBe('two')
		expect(await collect(list())).toEqual([null, 'two'])
	})

	test('a list with numbered pages is iterated until there is no next page', async () => {
		const pages: Answer = (response, { path }) => {
			const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 1)
			response.end(JSON.stringify({ page, has_next_page: page < 3, records: [page] }))
		}
		const { url } = await startFailingServer(pages)
		expect(await collect(call(connect(url), listSpacePosts, { spaceId: 1 }))).toEqual([1, 2, 3])
	})

	test.each([['{"data":null}'], ['{"data":7}'], ['{"data":{"records":null}}']])(
		'iterating the response %s throws an UnexpectedResponseError',
		async (text) => {
			const { url } = await startFailingServer(answer(200, text))
			await expect(collect(call(connect(url), listAssets))).rejects.toMatchObject({
				name: 'UnexpectedResponseError',
			})
		},
	)

	test('iteration ends with an error if the server repeats one page', async () => {
		const { url, received } = await startFailingServer(
			answer(200, { data: [1] }, { 'x-next-cursor': 'same' }),
		)
		await expect(collect(call(connect(url), listAssets))).rejects.toMatchObject({
			name: 'UnexpectedResponseError',
		})
		expect(received.length).toBeLessThan(4)
	})
})

test('a call sends no request until it is awaited, then exactly one', async () => {
	const { url, received } = await startFailingServer(answer(201, asset))
	const created = call(connect(url), createAsset, { title: 'Film' })
	expect(received).toHaveLength(0)
	expect(await Promise.all([created, created, created.withResponse()])).toMatchObject([
		{ id: 'ast_1' },
		{ id: 'ast_1' },
		asset,
	])
	expect(received).toHaveLength(1)
})

test('a stream resumes after the last event when the connection is lost, and ends with 204', async () => {
	const first: Answer = (response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' })
		response.write('retry: 1\n\nid: 1\r\nevent: progress\r\ndata: {"percent":1}\r\n\r\nid: 2\ndata: a\nda')
		setImmediate(() => response.destroy())
	}
	const second: Answer = (response) =>
		response
			.writeHead(200, { 'content-type': 'text/event-stream' })
			.end('id: 2\ndata: two\ndata: lines\n\n: quiet\n\n')
	const { url, received } = await startFailingServer(first, second, answer(204, ''))
	const events = []
	for await (const event of new Playhouse({ baseUrl: url }).assets.streamProgress({ assetId: 'a' }))
		events.push(event)
	expect(events).toEqual([
		{ id: '1', event: 'progress', data: { percent: 1 } },
		{ id: '2', event: 'message', data: 'two\nlines' },
	])
	expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2'])
})

test('the class Playhouse offers each operation by name, and sends the credential and headers of the client', async () => {
	const { url, received } = await startFailingServer(answer(200, asset))
	const playhouse = new Playhouse({
		baseUrl: `${url}/base/`,
		apiKey: 'phk_live_1',
		headers: { 'x-app': 'mine' },
	})
	await playhouse.assets.get({ assetId: 'ast_1' })
	await playhouse.communities.members.update({ communityId: 1, memberId: 2 })
	expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
		'GET /base/v1/assets/ast_1',
		'PATCH /base/v1/communities/1/members/2',
	])
	expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer phk_live_1', 'x-app': 'mine' })
})

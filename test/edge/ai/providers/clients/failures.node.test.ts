import { describe, expect, test } from 'vitest'
import type { Outside } from '../../../../../edge/ai/providers/clients/client.ts'
import { openAiClient } from '../../../../../edge/ai/providers/clients/openai.ts'
import { MAX_ANSWER_BYTES } from '../../../../../edge/ai/providers/clients/request.ts'
import { KEY, openProviderServer, transcriptionError } from './provider-server.node.ts'

const server = openProviderServer()
const openAi = (more: Partial<Outside> = {}) =>
	openAiClient(server.outside(more), 'https://api.example.org/v1', KEY)

describe('a provider that fails', () => {
	test.each<[status: number, code: string, kind: string]>([
		[400, 'rejected', 'final'],
		[401, 'unauthorized', 'final'],
		[402, 'out_of_credit', 'final'],
		[403, 'unauthorized', 'final'],
		[408, 'unavailable', 'retryable'],
		[429, 'rate_limited', 'retryable'],
		[500, 'unavailable', 'retryable'],
		[503, 'unavailable', 'retryable'],
		[522, 'no_connection', 'retryable'],
		[524, 'timeout', 'retryable'],
	])('a provider response with %i is %s, which is %s', async (status, code, kind) => {
		server.fail(status, '{"error":{"message":"No."}}')
		const error = await transcriptionError(openAi())
		expect([error.code, error.kind]).toEqual([code, kind])
		expect(error.message).toBe(`the provider returned ${status}: No.`)
	})

	test('the error of a provider reports how long to wait', async () => {
		server.fail(429, 'slow down', { 'retry-after': '17' })
		expect((await transcriptionError(openAi())).retryAfterMs).toBe(17_000)
	})

	test('the error of a provider is quoted on one line of at most 200 characters, without the key', async () => {
		server.fail(
			401,
			JSON.stringify({
				error: { message: `Incorrect key ${KEY}, or ${KEY.slice(0, 12)}***\n${'x'.repeat(900)}` },
			}),
		)
		const { message } = await transcriptionError(openAi())
		expect(message).toMatch(/^the provider returned 401: Incorrect key …, or …\S*\*\*\* x+$/)
		expect(message).not.toContain(KEY.slice(0, 8))
		expect(message.length).toBeLessThanOrEqual(230)
	})

	test('a provider response with a web page is malformed', async () => {
		server.reply('<!doctype html><h1>Sign in</h1>')
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'not_json', kind: 'malformed' })
	})

	test('a provider response with truncated JSON is malformed', async () => {
		server.reply('{"text":"Hello","segments":[{"start":0,')
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'not_json', kind: 'malformed' })
	})

	test('a provider connection that breaks off during the response is retryable', async () => {
		server.answer((_, response) => {
			response.writeHead(200, { 'content-length': '1000' })
			response.write('{"text":')
			response.destroy()
		})
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'broke_off', kind: 'retryable' })
		server.answer((_, response) => response.destroy())
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'broke_off', kind: 'retryable' })
	})

	test('a provider without a listener or a known host counts as no connection', async () => {
		for (const url of ['http://127.0.0.1:2/', 'http://nobody.invalid/']) {
			const client = openAi({ fetch: (_, init) => fetch(url, init) })
			expect(await transcriptionError(client)).toMatchObject({ code: 'no_connection', kind: 'retryable' })
		}
	})

	test('an endless error of a provider is quoted without reading it to its end', async () => {
		let sent = 0
		server.answer((_, response) => {
			response.writeHead(500)
			const chunk = Buffer.alloc(1_000_000, KEY)
			const pump = () => {
				if (response.destroyed || sent > 40 * chunk.length) return void response.end()
				sent += chunk.length
				response.write(chunk, pump)
			}
			pump()
		})
		const { message } = await transcriptionError(openAi())
		expect(message).toMatch(/^the provider returned 500: …/)
		expect([message.includes(KEY), message.length < 240, sent < MAX_ANSWER_BYTES]).toEqual([
			false,
			true,
			true,
		])
	})

	test.each([
		['another form', { segments: 'none' }],
		['times that are text', { segments: [{ start: '0', end: 1, text: 'a' }] }],
		['a list', []],
	])('a provider response with %s is malformed', async (_, answer) => {
		server.reply(answer)
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'unexpected_answer', kind: 'malformed' })
	})

	test('a provider response that is too large is malformed, and is not read to its end', async () => {
		let sent = 0
		server.answer((_, response) => {
			const chunk = Buffer.alloc(1_000_000, 'x')
			const pump = () => {
				if (response.destroyed || sent > 40 * chunk.length) return void response.end()
				sent += chunk.length
				response.write(chunk, pump)
			}
			pump()
		})
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'too_large', kind: 'malformed' })
		expect(sent).toBeLessThan(3 * MAX_ANSWER_BYTES)
	})

	test('a provider that does not respond or finish in time fails with a timeout', async () => {
		server.answer(() => undefined)
		expect(await transcriptionError(openAi({ timeoutMs: 20 }))).toMatchObject({
			code: 'timeout',
			kind: 'retryable',
		})
		server.answer((_, response) => void response.write('{"text":'))
		expect(await transcriptionError(openAi({ timeoutMs: 50 }))).toMatchObject({
			code: 'timeout',
			kind: 'retryable',
		})
	})

	test('a redirect of a provider is not followed', async () => {
		server.fail(302, '', { location: 'http://127.0.0.1/' })
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'redirected', kind: 'final' })
		expect(server.seen).toHaveLength(1)
	})

	test('a provider at a forbidden address is never called', async () => {
		server.reply({})
		const urlProblem = () => 'must have a public host'
		expect(await transcriptionError(openAi({ urlProblem }))).toMatchObject({
			code: 'address_refused',
			message: 'the address of the provider must have a public host',
		})
		expect(server.seen).toEqual([])
	})
})

import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSending } from './sending.node.ts'

let sending: Awaited<ReturnType<typeof startSending>>
beforeAll(async () => {
	sending = await startSending()
})
afterAll(() => sending.worker.dispose())

describe('a mail over an HTTP mail API', () => {
	it('a mail over the HTTP API is one JSON request with key, sender and idempotency key', async () => {
		await using api = await startApi((_, response) => response.writeHead(200).end('{"id":"1"}'))
		const vars = {
			MAIL_API_URL: `${api.url}/emails`,
			MAIL_API_KEY: 'key-1',
			MAIL_FROM: '"Käse & Co" <play@example.com>',
		}
		const outcome = await sending.send(vars, {
			subject: 'Grüße\r\nBcc: eve@example.net',
			idempotencyKey: 'msg_7',
		})
		expect(outcome).toMatchObject({ kind: 'http' })
		expect(outcome.error).toBeUndefined()
		expect(api.received).toHaveLength(1)
		const [{ request, body }] = api.received as [ReceivedRequest]
		expect(`${request.method} ${request.url}`).toBe('POST /emails')
		expect(request.headers).toMatchObject({
			authorization: 'Bearer key-1',
			'idempotency-key': 'msg_7',
			'content-type': 'application/json',
		})
		expect(JSON.parse(body)).toEqual({
			from: '"Käse & Co" <play@example.com>',
			to: 'ann@example.org',
			subject: 'Grüße Bcc: eve@example.net',
			text: 'Hello, Ann.\n',
			html: '<p>Hello, Ann.</p>',
		})
	})

	it('a mail over the HTTP API has unsubscribe headers if it has an unsubscribe URL', async () => {
		await using api = await startApi((_, response) => response.writeHead(200).end('{"id":"1"}'))
		const unsubscribeUrl = 'https://play.example.com/unsubscribe?token=a.b'
		await sending.send({ MAIL_API_URL: api.url, MAIL_API_KEY: 'key-1' }, { unsubscribeUrl })
		expect(JSON.parse(api.received[0]?.body ?? '')).toMatchObject({
			headers: {
				'List-Unsubscribe': `<${unsubscribeUrl}>`,
				'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
			},
		})
	})

	it.each([401, 422, 429, 500, 503])(
		'a mail over the HTTP API fails on status %i, and the error quotes nothing from the mail',
		async (status) => {
			await using api = await startApi((_, response) =>
				response.writeHead(status).end('ann@example.org: Hello, Ann.'),
			)
			const { error } = await sending.send({ MAIL_API_URL: api.url, MAIL_API_KEY: 'key-1' })
			expect(error).toBe(`the mail API returned ${status}`)
		},
	)

	it('the HTTP mail transport does not follow a redirect', async () => {
		await using target = await startApi((_, response) => response.end())
		await using api = await startApi((_, response) => response.writeHead(307, { location: target.url }).end())
		const { error } = await sending.send({ MAIL_API_URL: api.url, MAIL_API_KEY: 'key-1' })
		expect(error).toBe('the mail API returned 307')
		expect(target.received).toEqual([])
	})

	it('the HTTP mail transport fails after the timeout', async () => {
		await using api = await startApi(() => {})
		const { error } = await sending.send({ MAIL_API_URL: api.url, MAIL_API_KEY: 'key-1' }, {}, 300)
		expect(error).toBe('the mail API did not respond in time')
	})

	it('the HTTP mail transport fails if unreachable, and in production over plain http', async () => {
		const vars = { MAIL_API_URL: 'http://127.0.0.1:1', MAIL_API_KEY: 'key-1' }
		expect((await sending.send(vars)).error).toBe("the mail API can't be reached")
		const open = { ENVIRONMENT: 'production', MAIL_API_URL: 'http://mail.example.com', MAIL_API_KEY: 'key-1' }
		expect((await sending.send(open)).error).toMatch(/^MAIL_API_URL: must be https/)
	})
})

describe('a mail without a configured transport', () => {
	it('a mail without a configured transport is printed as one block in development', async () => {
		const outcome = await sending.send(
			{ ENVIRONMENT: 'development' },
			{ subject: 'Code', text: 'It is 123456.\n' },
		)
		expect(outcome).toMatchObject({ kind: 'console' })
		expect(outcome.error).toBeUndefined()
		const blocks = () => sending.worker.logs.filter((line) => line.includes('123456'))
		await expect.poll(blocks).toHaveLength(1)
		expect(blocks()[0]).toMatch(/To: {6}ann@example\.org\nSubject: Code\n\nIt is 123456\.\n─+/)
	})

	it('a mail without a transport fails in production, and the log shows neither recipient nor code', async () => {
		const before = sending.worker.logs.length
		const outcome = await sending.send({ ENVIRONMENT: 'production' }, { text: 'It is 654321.\n' })
		expect(outcome.error).toBe('mail is not set up')
		const logged = () => sending.worker.logs.slice(before).join('\n')
		await expect.poll(logged).toContain('mail is not set up: set SMTP_URL')
		expect(logged()).not.toMatch(/ann@|654321/)
	})
})

type ReceivedRequest = { request: IncomingMessage; body: string }

async function startApi(answer: RequestListener) {
	const received: ReceivedRequest[] = []
	const server = createServer(async (request, response) => {
		received.push({ request, body: await text(request) })
		answer(request, response)
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections()
			server.close()
		},
	}
}

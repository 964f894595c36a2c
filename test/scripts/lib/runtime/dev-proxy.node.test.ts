import { request } from 'node:http'
import { connect } from 'node:net'
import { HOST_CAPNP_CONNECT } from 'miniflare'
import { expect, onTestFinished, test, vi } from 'vitest'
import { reservePort } from '../../../../scripts/start/port.ts'
import { invalidHosts, sendRaw } from '../../../support/node/raw-request.ts'
import { startEchoForTest } from './echo-runtime.ts'

const MIB = 1024 ** 2

const statusOf = (url: URL, headers: Record<string, string>) =>
	new Promise<number | undefined>((resolve, reject) => {
		request(url, { headers }, (response) => resolve(response.resume().statusCode))
			.on('error', reject)
			.end()
	})

test('the runtime ignores caller addresses that a request claims', async () => {
	const { getJson } = await startEchoForTest()
	for (const headers of [
		{ 'CF-Connecting-IP': '6.6.6.6' },
		{ 'X-Forwarded-For': '6.6.6.6' },
		{ 'MF-CF-Blob': '{"clientIp":"6.6.6.6:1"}' },
		{ 'MF-Original-URL': 'http://6.6.6.6/' },
	] as Record<string, string>[]) {
		const { ip, url } = await getJson('/', headers)
		expect(ip).toBe('127.0.0.1')
		expect(url).not.toContain('6.6.6.6')
	}
})

test('the runtime responds with 404 on its own port, whatever Worker a header selects', async () => {
	const { runtime } = await startEchoForTest()
	for (const name of ['playhouse', 'local']) {
		const headers = { 'MF-Route-Override': name, 'CF-Connecting-IP': '6.6.6.6' }
		for (const path of ['/', '/put', '/page'])
			expect([name, path, await statusOf(new URL(path, runtime.ownUrl), headers)]).toEqual([name, path, 404])
	}
})

test('reports a body of unknown length as incomplete if its sender breaks off', async () => {
	const { runtime, getJson } = await startEchoForTest()
	const { hostname, port } = runtime.url
	const countEnds = async (end: string) => {
		const ends = (await getJson('/ends')) as unknown as string[]
		return ends.filter((each) => each === end).length
	}
	const breakOffs = ['end', 'destroy', 'resetAndDestroy'] as const
	for (const breakOff of breakOffs) {
		const arrived = await countEnds('arrived')
		const socket = connect(Number(port), hostname).on('error', () => {})
		socket.write('PUT /read HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
		socket.write(`${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`)
		await expect.poll(() => countEnds('arrived')).toBe(arrived + 1)
		socket[breakOff]()
	}
	await expect.poll(() => countEnds('broken')).toBe(breakOffs.length)
	expect(await countEnds('whole')).toBe(0)
})

test('a request whose Host header or target has no valid host is rejected, as JSON', async () => {
	const { runtime } = await startEchoForTest()
	const get = (hosts: string, target = '/v1/x') =>
		sendRaw(runtime.url, `GET ${target} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
	const responses = [
		...invalidHosts.map((host) => get(`Host: ${host}\r\n`)),
		get('Host: a\r\nHost: b\r\n'),
		get('Host: a\r\n', '*'),
	]
	for (const response of await Promise.all(responses)) {
		expect(response).toMatch(/^HTTP\/1.1 400 /)
		expect(response).toMatch(/\r\ncontent-type: application\/json\r\n/i)
		expect(response).toMatch(/\r\nx-error-code: malformed\r\n/i)
		expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toEqual({ error: expect.any(String) })
	}
	// The runtime itself rejects requests that are not HTTP/1.1.
	for (const hosts of ['', 'Host: \r\n', 'Host: \xff\r\n'])
		expect(await get(hosts)).toMatch(/^HTTP\/1.1 400 /)
	for (const host of ['localhost:8787', 'a_b.example.', '[::1]:80', 'EXAMPLE.org', '127.0.0.1'])
		expect(await get(`Host: ${host}\r\n`, '/')).toMatch(/^HTTP\/1.1 200 /)
})

test('the runtime opens no tunnel and no Cap’n Proto session on any port', async () => {
	const { runtime } = await startEchoForTest()
	const fetching = vi.spyOn(globalThis, 'fetch')
	onTestFinished(() => fetching.mockRestore())
	await runtime.control.query({ sql: 'SELECT 1' })
	const controlUrl = fetching.mock.calls[0]?.[0] as URL
	for (const url of [runtime.url, controlUrl, runtime.ownUrl])
		for (const target of [HOST_CAPNP_CONNECT, '127.0.0.1:80', new URL(url).host]) {
			const socket = connect(Number(url.port), url.hostname).setEncoding('latin1')
			socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
			let response = ''
			socket.on('data', (chunk) => {
				response += chunk
			})
			// The runtime closes the connection, which would stay open for a session. A reset is as good.
			await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
			expect(response).toMatch(/^HTTP\/1\.1 (200 OK\r\n(Host: .*\r\n)?\r\n$|[45]\d\d )/)
		}
})

test('the runtime uses the caller address that a trusted proxy reports', async () => {
	const { getJson } = await startEchoForTest({ trustsProxy: true })
	expect((await getJson('/', { 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' })).ip).toBe('203.0.113.9')
	expect((await getJson('/')).ip).toBe('127.0.0.1')
})

test('the runtime reports the address of an IPv6 caller without brackets and port', async () => {
	const { getJson } = await startEchoForTest({ host: '::1', port: await reservePort('::1', 0) })
	expect((await getJson('/')).ip).toBe('::1')
})

/** Sends `head`, then `drip` again and again. Returns what it got when the other side has closed the connection. */
const dripHead = ({ hostname, port }: URL, head: string, drip: string) =>
	new Promise<string>((resolve) => {
		let response = ''
		const socket = connect(Number(port), hostname)
		const timer = setInterval(() => socket.write(drip), 500)
		socket
			.on('data', (chunk) => {
				response += chunk
			})
			.on('error', () => {})
			.on('close', () => {
				clearInterval(timer)
				resolve(response)
			})
		socket.write(head)
	})

test('closes connections whose request heads never complete, and serves others meanwhile', async () => {
	const { runtime, getJson } = await startEchoForTest()
	const head = 'GET / HTTP/1.1\r\nHost: localhost\r\n'
	const slow = [
		dripHead(runtime.url, head, 'x'),
		dripHead(runtime.url, head, 'a: b\r\n'),
		dripHead(runtime.url, 'GET /', ''),
		dripHead(runtime.url, '', ''),
	]
	const second = dripHead(runtime.url, `${head}\r\n${head}`, 'x')
	expect(await getJson('/')).toMatchObject({ environment: 'development' })
	expect(await Promise.all(slow)).toEqual(['', '', '', ''])
	// The first request of a connection does not give its second one more time.
	expect((await second).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
})

/** Replaces the local pages. */
const localPages = async (request: Request) =>
	new Response(JSON.stringify({ local: new URL(request.url).pathname }))

test('/_dev/ is served only to callers with a loopback host name and without a proxy', async () => {
	const { runtime, getJson } = await startEchoForTest({ local: { pages: localPages } })
	const { port } = runtime.url
	for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'LOCALHOST'])
		expect(await getJson('/_dev/mail', { host })).toEqual({ local: '/_dev/mail' })
	// These requests reach the Worker, which responds with 404 in an installation.
	const remoteHeaders: Record<string, string>[] = [
		...['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', 'x.localhost', '10.0.0.1'].map(
			(host) => ({
				host: `${host}:${port}`,
			}),
		),
		{ 'x-forwarded-for': '203.0.113.9' },
		{ 'x-forwarded-host': 'video.example.com' },
		{ forwarded: 'for=203.0.113.9' },
		{ via: '1.1 tunnel' },
	]
	for (const headers of remoteHeaders)
		expect(await getJson('/_dev/mail', headers)).toMatchObject({ environment: 'development' })
	expect(await getJson('/v1/_dev/mail')).toMatchObject({ environment: 'development' })
})

test('/_dev/ is passed to the Worker if there are no local pages', async () => {
	const { getJson } = await startEchoForTest()
	expect(await getJson('/_dev/mail')).toMatchObject({ environment: 'development' })
})

test('the runtime delivers mails to the mailbox', async () => {
	const mails: string[] = []
	const mailbox = async (request: Request) => {
		mails.push(await request.text())
		return Response.json('kept')
	}
	const { getJson } = await startEchoForTest({ local: { mailbox } })
	expect(await getJson('/mail')).toBe('kept')
	expect(mails).toEqual(['a mail'])
})

test('the runtime logs each request with path, statement count and id, without its query', async () => {
	const logged: string[] = []
	const local = { pages: localPages, logsRequests: true }
	const { runtime } = await startEchoForTest({ local, onLog: (text) => logged.push(text) })
	await fetch(new URL('/html?token=secret', runtime.url))
	const found = () => logged.find((text) => text.includes('"message":"request"'))
	await expect.poll(found).toBeDefined()
	expect(JSON.parse(found() ?? '')).toEqual({
		...{ level: 'info', message: 'request', method: 'GET', path: '/html', status: 200 },
		...{ ms: expect.any(Number), sql: 7, requestId: 'req-1' },
	})
})

test('the reload script is added only if enabled, and only for this machine', async () => {
	const pages = async () => new Response('v1')
	const get = async (runtime: { url: URL }, headers: Record<string, string> = {}) =>
		(await fetch(new URL('/html', runtime.url), { headers: { accept: 'text/html', ...headers } })).text()
	const reloading = await startEchoForTest({ local: { pages, reloadsPages: true } })
	expect(await get(reloading.runtime)).toMatch(
		/<script type="module" nonce="[\w-]+" src="\/_dev\/reload\.js\?at=v1">/,
	)
	expect(await get(reloading.runtime, { 'x-forwarded-for': '203.0.113.9' })).not.toContain('script')
	const plain = await startEchoForTest({ local: { pages } })
	expect(await get(plain.runtime)).not.toContain('script')
})

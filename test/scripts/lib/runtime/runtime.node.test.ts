import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CoreHeaders, HOST_CAPNP_CONNECT } from 'miniflare'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { listWorkerdPids } from '../../../../scripts/bench/lib/workerd.ts'
import { root } from '../../../../scripts/lib/root.ts'
import { startRuntime } from '../../../../scripts/lib/runtime/runtime.ts'
import type { RuntimeOptions } from '../../../../scripts/lib/runtime/runtime-options.ts'
import { applyD1Migrations } from '../../../../scripts/start/d1-migrations.ts'
import { reservePort } from '../../../../scripts/start/port.ts'
import { invalidHosts, sendRaw } from '../../../support/node/raw-request.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'

// The runtime changes it for the whole process.
const coreHeaders = { ...CoreHeaders }
afterAll(() => Object.assign(CoreHeaders, coreHeaders))

const MIB = 1024 ** 2

/** A Worker that echoes its requests, so that tests see what the dev proxy changed. */
const echo = `
export class Fleet { constructor(state, env) {} }
export class MemberStreams { constructor(state, env) {} }
export default {
	async fetch(request, env, ctx) {
		const { pathname } = new URL(request.url)
		if (pathname === '/page') return env.ASSETS.fetch(request)
		if (pathname === '/put') return Response.json((await env.MEDIA.put('object', request.body)).size)
		if (pathname === '/read') {
			const id = crypto.randomUUID()
			await env.MEDIA.put('arrived/' + id, 'x')
			const read = async () => {
				for await (const _ of request.body) continue
				await env.MEDIA.put('whole/' + id, 'x')
			}
			const noteBroken = () => env.MEDIA.put('broken/' + id, 'x')
			const ended = read().catch(noteBroken)
			ctx.waitUntil(ended)
			await ended
			return new Response(null)
		}
		if (pathname === '/ends') {
			const { objects } = await env.MEDIA.list()
			return Response.json(objects.map(({ key }) => key.split('/')[0]))
		}
		if (pathname === '/free') return env.DISK.fetch('http://disk/')
		if (pathname === '/size') return Response.json((await env.MEDIA.head('object'))?.size ?? null)
		if (pathname === '/log') for (let line = 0; line < 50; line++) console.log('x'.repeat(4000))
		if (pathname === '/mail') return env.MAILBOX.fetch('http://mailbox/', { method: 'POST', body: 'a mail' })
		if (pathname === '/html') return new Response('<head></head>', { headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'", 'server-timing': 'sql;desc="7"', 'x-request-id': 'req-1' } })
		if (pathname === '/shield') return Response.json(await env.SHIELD_CREDENTIALS.limit({ key: 'caller' }))
		return Response.json({ ip: request.headers.get('cf-connecting-ip'), url: request.url, environment: env.ENVIRONMENT })
	},
	async scheduled({ cron }, env) {
		if (cron !== '17 3 * * *') throw new Error('not planned')
		await env.MEDIA.put('object', cron)
	},
}`

type Changes = Partial<RuntimeOptions> & { isClosed?: true }

const bundleOf = async (directory: string, name: string, source: string) => {
	const bundle = join(directory, name)
	await mkdir(bundle, { recursive: true })
	await writeFile(join(bundle, 'worker.js'), source)
	return bundle
}

async function startEcho(directory: string, { isClosed, ...changes }: Changes = {}) {
	await mkdir(join(directory, 'edge', 'web', 'public'), { recursive: true })
	await writeFile(join(directory, 'edge', 'web', 'public', 'page.html'), '"a static file"')
	await copyFile(join(root, 'wrangler.toml'), join(directory, 'wrangler.toml'))
	await writeFile(join(directory, 'edge', 'worker.ts'), '')
	const runtime = await startRuntime({
		host: '127.0.0.1',
		port: await reservePort('127.0.0.1', 0),
		bundle: await bundleOf(directory, 'bundle', echo),
		storage: join(directory, 'storage'),
		variables: { ENVIRONMENT: 'development' },
		trustsProxy: false,
		configPath: join(directory, 'wrangler.toml'),
		onLog: () => {},
		...changes,
	})
	const getJson = async (path: string, headers: Record<string, string> = {}) =>
		JSON.parse(await get(new URL(path, runtime.url), headers))
	if (!isClosed) runtime.admitRequests()
	return { runtime, getJson }
}

// fetch would not send some of these headers.
async function get(url: URL, headers: Record<string, string>): Promise<string> {
	return new Promise((resolve, reject) => {
		request(url, { headers }, (response) => resolve(text(response)))
			.on('error', reject)
			.end()
	})
}

const statusOf = (url: URL, headers: Record<string, string>) =>
	new Promise<number | undefined>((resolve, reject) => {
		request(url, { headers }, (response) => resolve(response.resume().statusCode))
			.on('error', reject)
			.end()
	})

async function startEchoForTest(changes: Changes = {}) {
	const started = await startEcho(await temporaryDirectory(), changes)
	onTestFinished(() => started.runtime.stop())
	return started
}

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

test('a request that does not fit on the disk gets 507, and others and later ones succeed', async () => {
	let free = 1_000 * MIB
	const { runtime } = await startEchoForTest({ freeBytes: async () => free })
	const statusWith = async (path: string, init: RequestInit) => {
		const response = await fetch(new URL(path, runtime.url), init)
		return `${response.status} ${response.headers.get('x-error-code') ?? ''}`.trim()
	}
	const put = (bytes: number) => statusWith('/put', { method: 'PUT', body: Buffer.alloc(bytes) })
	expect(await put(MIB)).toBe('200')
	// Small requests are accepted until 16 MiB are left, larger ones while they leave 64 MiB.
	for (const [freeMib, small, large] of [
		[64.5, '200', '507 insufficient_storage'],
		[20, '200', '507 insufficient_storage'],
		[15, '507 insufficient_storage', '507 insufficient_storage'],
		[1_000, '200', '200'],
	] as const) {
		free = freeMib * MIB
		await expect.poll(() => put(MIB)).toBe(large)
		await expect.poll(() => put(1_000)).toBe(small)
		expect(await statusWith('/size', {})).toBe('200')
		expect(await statusWith('/size', { method: 'DELETE' })).toBe('200')
	}
})

test('returns the number of free bytes to the Worker', async () => {
	const { getJson } = await startEchoForTest({ freeBytes: async () => 42 })
	expect(await getJson('/free')).toBe(42)
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

test('the runtime responds with 503 until the database is ready', async () => {
	const { runtime, getJson } = await startEchoForTest({ isClosed: true })
	const early = await fetch(new URL('/page', runtime.url))
	expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
	expect(await early.json()).toEqual({ error: expect.stringContaining('try again') })
	// Migrations and the schedule bypass the dev proxy.
	expect(await applyD1Migrations(runtime.control, [])).toEqual([])
	expect((await fetch(runtime.url)).status).toBe(503)
	runtime.admitRequests()
	expect(await getJson('/page')).toBe('a static file')
})

test('the runtime serves requests and keeps data after workerd was killed', async () => {
	const others = new Set(await listWorkerdPids())
	const { runtime, getJson } = await startEchoForTest()
	await fetch(new URL('/put', runtime.url), { method: 'PUT', body: 'data' })
	const started = (await listWorkerdPids()).filter((pid) => !others.has(pid))
	expect(started.length).toBeGreaterThan(0)
	for (const pid of started) process.kill(pid, 'SIGKILL')
	await expect.poll(() => getJson('/size').catch(() => null)).toBe(4)
})

test('variables of the runtime override those of wrangler.toml', async () => {
	const { getJson } = await startEchoForTest()
	expect((await getJson('/')).environment).toBe('development')
})

test('the Worker takes precedence over static files', async () => {
	const { getJson } = await startEchoForTest()
	expect(await getJson('/page')).toBe('a static file')
	expect((await getJson('/page.html')).environment).toBe('development')
})

test('the runtime limits the rate of requests', async () => {
	const { getJson } = await startEchoForTest()
	// A minute may end in between, so more than twice the limit.
	const answers = await Promise.all(Array.from({ length: 250 }, () => getJson('/shield')))
	const accepted = answers.filter((answer) => (answer as { success: boolean }).success)
	expect(accepted.length).toBeGreaterThanOrEqual(120)
	expect(accepted.length).toBeLessThanOrEqual(240)
})

test('the length of a body arrives in storage, and the object survives a restart', async () => {
	const directory = await temporaryDirectory()
	const first = await startEcho(directory)
	const body = new Uint8Array(3_000_001)
	const response = await fetch(new URL('/put', first.runtime.url), { method: 'PUT', body })
	expect(await response.json()).toBe(body.length)
	await first.runtime.stop()

	const second = await startEcho(directory)
	onTestFinished(() => second.runtime.stop())
	expect(await second.getJson('/size')).toBe(body.length)
})

test('the runtime passes the cron expression to the Worker and reports a failed run', async () => {
	const { runtime, getJson } = await startEchoForTest()
	expect(runtime.crons).toContain('17 3 * * *')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
	expect(await getJson('/size')).toBe('17 3 * * *'.length)
	await expect(runtime.control.runScheduled('1 1 1 1 1', new Date(0))).rejects.toThrow('1 1 1 1 1')
})

test('the runtime applies migrations once, in order, each as a whole or not at all', async () => {
	const { control } = (await startEchoForTest()).runtime
	const good = {
		name: '0000_good.sql',
		statements: ['CREATE TABLE a (x TEXT)', "INSERT INTO a VALUES ('1')"],
	}
	const bad = {
		name: '0001_bad.sql',
		statements: ["INSERT INTO a VALUES ('2')", 'INSERT INTO nowhere VALUES (1)'],
	}
	expect(await applyD1Migrations(control, [good])).toEqual(['0000_good.sql'])
	expect(await applyD1Migrations(control, [good])).toEqual([])
	await expect(applyD1Migrations(control, [good, bad])).rejects.toThrow('nowhere')
	expect(await control.query({ sql: 'SELECT x FROM a' }, { sql: 'SELECT name FROM d1_migrations' })).toEqual([
		[{ x: '1' }],
		[{ name: '0000_good.sql' }],
	])
})

test('refuses a database from before the first release, and explains how to start over', async () => {
	const { control } = (await startEchoForTest()).runtime
	const old = { name: '0001_webhooks-and-settings.sql', statements: ['CREATE TABLE a (x TEXT)'] }
	await applyD1Migrations(control, [old])
	await expect(applyD1Migrations(control)).rejects.toThrow(/before the first release[\s\S]*set DATA_DIR/)
	expect(await control.query({ sql: 'SELECT name FROM d1_migrations' })).toEqual([[{ name: old.name }]])
})

test('the runtime returns the columns of a read in order, whatever their names are', async () => {
	const { control } = (await startEchoForTest()).runtime
	expect(
		await control.read(
			{ sql: 'SELECT ? AS b, 2 AS "1", 3 AS a, 4 AS a', values: ['x'] },
			{ sql: 'SELECT 1 AS none WHERE false' },
		),
	).toEqual([
		{ columns: ['b', '1', 'a', 'a'], rows: [['x', 2, 3, 4]] },
		{ columns: ['none'], rows: [] },
	])
	await expect(control.read({ sql: 'SELECT x FROM nowhere' })).rejects.toThrow('nowhere')
})

test('the runtime runs schedules and statements while the Worker logs a lot', async () => {
	const { runtime, getJson } = await startEchoForTest()
	let isRunning = true
	const requests = Array.from({ length: 8 }, async () => {
		while (isRunning) await getJson('/log')
	})
	for (let round = 0; round < 50; round++) {
		await runtime.control.query({ sql: 'SELECT 1' })
		await runtime.control.runScheduled('17 3 * * *', new Date(0))
	}
	isRunning = false
	await Promise.all(requests)
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

test('a new bundle keeps data, and the old bundle stays if the new one does not start', async () => {
	const directory = await temporaryDirectory()
	const { runtime, getJson } = await startEcho(directory)
	onTestFinished(() => runtime.stop())
	await fetch(new URL('/put', runtime.url), { method: 'PUT', body: 'data' })
	await runtime.reload(await bundleOf(directory, 'second', echo.replace('env.ENVIRONMENT', "'second'")))
	expect((await fetch(runtime.url)).status).toBe(503)
	runtime.admitRequests()
	expect((await getJson('/')).environment).toBe('second')
	expect(await getJson('/size')).toBe(4)
	const broken = await bundleOf(directory, 'third', `throw new Error('at the top')\n${echo}`)
	await expect(runtime.reload(broken)).rejects.toThrow()
	runtime.admitRequests()
	expect((await getJson('/')).environment).toBe('second')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
})

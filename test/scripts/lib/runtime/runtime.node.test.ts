import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { startRuntime } from '../../../../scripts/lib/runtime/runtime.ts'
import type { RuntimeOptions } from '../../../../scripts/lib/runtime/runtime-options.ts'
import { applyD1Migrations } from '../../../../scripts/start/d1-migrations.ts'
import { reservePort } from '../../../../scripts/start/port.ts'
import { root } from '../../../../scripts/start/settings.ts'
import { brokenHosts, say } from '../../../support/node/raw-request.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'

/** A Worker that echoes its requests, so that tests see what the dev proxy changed. */
const echo = `
export class Fleet { constructor(state, env) {} }
export class MemberStreams { constructor(state, env) {} }
export default {
	async fetch(request, env) {
		const { pathname } = new URL(request.url)
		if (pathname === '/page') return env.ASSETS.fetch(request)
		if (pathname === '/put') return Response.json((await env.MEDIA.put('object', request.body)).size)
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
	const ask = async (path: string, headers: Record<string, string> = {}) =>
		JSON.parse(await get(new URL(path, runtime.url), headers))
	if (!isClosed) await runtime.control.admitRequests()
	return { runtime, ask }
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

async function echoFor(changes: Changes = {}) {
	const started = await startEcho(await temporaryDirectory(), changes)
	onTestFinished(() => started.runtime.stop())
	return started
}

test('callers cannot forge their address', async () => {
	const { ask } = await echoFor()
	for (const headers of [
		{ 'CF-Connecting-IP': '6.6.6.6' },
		{ 'X-Forwarded-For': '6.6.6.6' },
		{ 'MF-CF-Blob': '{"clientIp":"6.6.6.6:1"}' },
		{ 'MF-Original-URL': 'http://6.6.6.6/' },
	] as Record<string, string>[]) {
		const { ip, url } = await ask('/', headers)
		expect(ip).toBe('127.0.0.1')
		expect(url).not.toContain('6.6.6.6')
	}
})

test('responds with 404 on the runtime’s own port, whatever Worker a header selects', async () => {
	const { runtime } = await echoFor()
	for (const name of ['playhouse', 'pages', 'dev-proxy', 'control']) {
		const headers = { 'MF-Route-Override': name, 'CF-Connecting-IP': '6.6.6.6' }
		for (const path of ['/', '/put', '/page'])
			expect([name, path, await statusOf(new URL(path, runtime.ownUrl), headers)]).toEqual([name, path, 404])
	}
})

test('rejects a request whose Host header or target has no valid host, as JSON', async () => {
	const { runtime } = await echoFor()
	const get = (hosts: string, target = '/v1/x') =>
		say(runtime.url, `GET ${target} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
	const answers = [
		...brokenHosts.map((host) => get(`Host: ${host}\r\n`)),
		get('Host: a\r\nHost: b\r\n'),
		get('Host: a\r\n', '*'),
	]
	for (const answer of await Promise.all(answers)) {
		expect(answer).toMatch(/^HTTP\/1.1 400 /)
		expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/i)
		expect(answer).toMatch(/\r\nx-error-code: malformed\r\n/i)
		expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ error: expect.any(String) })
	}
	// The runtime itself rejects requests that are not HTTP/1.1.
	for (const hosts of ['', 'Host: \r\n', 'Host: \xff\r\n'])
		expect(await get(hosts)).toMatch(/^HTTP\/1.1 400 /)
	for (const host of ['localhost:8787', 'a_b.example.', '[::1]:80', 'EXAMPLE.org', '127.0.0.1'])
		expect(await get(`Host: ${host}\r\n`, '/')).toMatch(/^HTTP\/1.1 200 /)
})

test('behind a trusted proxy the address is the one that the proxy saw', async () => {
	const { ask } = await echoFor({ trustsProxy: true })
	expect((await ask('/', { 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' })).ip).toBe('203.0.113.9')
	expect((await ask('/')).ip).toBe('127.0.0.1')
})

test('an IPv6 caller has an address without brackets and port', async () => {
	const { ask } = await echoFor({ host: '::1', port: await reservePort('::1', 0) })
	expect((await ask('/')).ip).toBe('::1')
})

test('responds with 503 until the database is ready', async () => {
	const { runtime, ask } = await echoFor({ isClosed: true })
	const early = await fetch(new URL('/page', runtime.url))
	expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
	expect(await early.json()).toEqual({ error: expect.stringContaining('try again') })
	// Migrations and the schedule bypass the dev proxy.
	expect(await applyD1Migrations(runtime.control, [])).toEqual([])
	expect((await fetch(runtime.url)).status).toBe(503)
	await runtime.control.admitRequests()
	expect(await ask('/page')).toBe('a static file')
})

test('overrides variables of wrangler.toml', async () => {
	const { ask } = await echoFor()
	expect((await ask('/')).environment).toBe('development')
})

test('the Worker runs before static files are served', async () => {
	const { ask } = await echoFor()
	expect(await ask('/page')).toBe('a static file')
	expect((await ask('/page.html')).environment).toBe('development')
})

test('rate limits count requests', async () => {
	const { ask } = await echoFor()
	for (let call = 0; call < 120; call++) expect(await ask('/shield')).toEqual({ success: true })
	expect(await ask('/shield')).toEqual({ success: false })
})

test('keeps the length of a body up to storage, and the object after a restart', async () => {
	const directory = await temporaryDirectory()
	const first = await startEcho(directory)
	const body = new Uint8Array(3_000_001)
	const response = await fetch(new URL('/put', first.runtime.url), { method: 'PUT', body })
	expect(await response.json()).toBe(body.length)
	await first.runtime.stop()

	const second = await startEcho(directory)
	onTestFinished(() => second.runtime.stop())
	expect(await second.ask('/size')).toBe(body.length)
})

test('passes the cron expression to the Worker and reports a failed run', async () => {
	const { runtime, ask } = await echoFor()
	expect(runtime.crons).toContain('17 3 * * *')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
	expect(await ask('/size')).toBe('17 3 * * *'.length)
	await expect(runtime.control.runScheduled('1 1 1 1 1', new Date(0))).rejects.toThrow('1 1 1 1 1')
})

test('applies migrations once, in order, each as a whole or not at all', async () => {
	const { control } = (await echoFor()).runtime
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

test('runs schedules and statements while the Worker writes a lot of log', async () => {
	const { runtime, ask } = await echoFor()
	let busy = true
	const noise = Array.from({ length: 8 }, async () => {
		while (busy) await ask('/log')
	})
	for (let round = 0; round < 50; round++) {
		await runtime.control.query({ sql: 'SELECT 1' })
		await runtime.control.runScheduled('17 3 * * *', new Date(0))
	}
	busy = false
	await Promise.all(noise)
})

/** Replaces the local pages. */
const localPages = async (request: Request) =>
	new Response(JSON.stringify({ local: new URL(request.url).pathname }))

test('serves /_dev/ only to callers with a loopback host name and without a proxy', async () => {
	const { runtime, ask } = await echoFor({ local: { pages: localPages } })
	const { port } = runtime.url
	for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'LOCALHOST'])
		expect(await ask('/_dev/mail', { host })).toEqual({ local: '/_dev/mail' })
	// These requests reach the Worker, which responds with 404 in an installation.
	const foreign: Record<string, string>[] = [
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
	for (const headers of foreign)
		expect(await ask('/_dev/mail', headers)).toMatchObject({ environment: 'development' })
	expect(await ask('/v1/_dev/mail')).toMatchObject({ environment: 'development' })
})

test('passes /_dev/ to the Worker if there are no local pages', async () => {
	const { ask } = await echoFor()
	expect(await ask('/_dev/mail')).toMatchObject({ environment: 'development' })
})

test('delivers mails to the mailbox', async () => {
	const mails: string[] = []
	const mailbox = async (request: Request) => {
		mails.push(await request.text())
		return Response.json('kept')
	}
	const { ask } = await echoFor({ local: { mailbox } })
	expect(await ask('/mail')).toBe('kept')
	expect(mails).toEqual(['a mail'])
})

test('logs each request with path, statement count and id, without its query', async () => {
	const logged: string[] = []
	const local = { pages: localPages, logsRequests: true }
	const { runtime } = await echoFor({ local, onLog: (text) => logged.push(text) })
	await fetch(new URL('/html?token=secret', runtime.url))
	const found = () => logged.find((text) => text.includes('"message":"request"'))
	await expect.poll(found, { timeout: 30_000 }).toBeDefined()
	expect(JSON.parse(found() ?? '')).toEqual({
		...{ level: 'info', message: 'request', method: 'GET', path: '/html', status: 200 },
		...{ ms: expect.any(Number), sql: 7, requestId: 'req-1' },
	})
})

test('adds the reload script only if enabled, and only for this machine', async () => {
	const pages = async () => new Response('v1')
	const get = async (runtime: { url: URL }, headers: Record<string, string> = {}) =>
		(await fetch(new URL('/html', runtime.url), { headers: { accept: 'text/html', ...headers } })).text()
	const reloading = await echoFor({ local: { pages, reloadsPages: true } })
	expect(await get(reloading.runtime)).toMatch(
		/<script type="module" nonce="[\w-]+" src="\/_dev\/reload\.js\?at=v1">/,
	)
	expect(await get(reloading.runtime, { 'x-forwarded-for': '203.0.113.9' })).not.toContain('script')
	const plain = await echoFor({ local: { pages } })
	expect(await get(plain.runtime)).not.toContain('script')
})

test('replaces the bundle and keeps data, and keeps the old bundle if the new one does not start', async () => {
	const directory = await temporaryDirectory()
	const { runtime, ask } = await startEcho(directory)
	onTestFinished(() => runtime.stop())
	await fetch(new URL('/put', runtime.url), { method: 'PUT', body: 'data' })
	await runtime.reload(await bundleOf(directory, 'second', echo.replace('env.ENVIRONMENT', "'second'")))
	expect((await fetch(runtime.url)).status).toBe(503)
	await runtime.control.admitRequests()
	expect((await ask('/')).environment).toBe('second')
	expect(await ask('/size')).toBe(4)
	const broken = await bundleOf(directory, 'third', `throw new Error('at the top')\n${echo}`)
	await expect(runtime.reload(broken)).rejects.toThrow()
	await runtime.control.admitRequests()
	expect((await ask('/')).environment).toBe('second')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
})

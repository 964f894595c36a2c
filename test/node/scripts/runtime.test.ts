import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { applyD1Migrations } from '../../../scripts/start/d1-migrations.ts'
import { reservePort } from '../../../scripts/start/port.ts'
import { type RuntimeOptions, startRuntime } from '../../../scripts/start/runtime.ts'
import { root } from '../../../scripts/start/settings.ts'
import { brokenHosts, say } from './raw-request.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** Says what it is given, so that what stands before it can be seen. */
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
		if (pathname === '/shield') return Response.json(await env.SHIELD_CREDENTIALS.limit({ key: 'caller' }))
		return Response.json({ ip: request.headers.get('cf-connecting-ip'), url: request.url, environment: env.ENVIRONMENT })
	},
	async scheduled({ cron }, env) {
		if (cron !== '17 3 * * *') throw new Error('not planned')
		await env.MEDIA.put('object', cron)
	},
}`

type Changes = Partial<RuntimeOptions> & { staysShut?: true }

async function startEcho(directory: string, { staysShut, ...changes }: Changes = {}) {
	await mkdir(join(directory, 'edge', 'web', 'public'), { recursive: true })
	await mkdir(join(directory, 'bundle'), { recursive: true })
	await writeFile(join(directory, 'edge', 'web', 'public', 'page.html'), '"a static file"')
	await writeFile(join(directory, 'bundle', 'worker.js'), echo)
	await copyFile(join(root, 'wrangler.toml'), join(directory, 'wrangler.toml'))
	await writeFile(join(directory, 'edge', 'worker.ts'), '')
	const runtime = await startRuntime({
		host: '127.0.0.1',
		port: await reservePort('127.0.0.1', 0),
		bundle: join(directory, 'bundle'),
		storage: join(directory, 'storage'),
		variables: { ENVIRONMENT: 'development' },
		trustsProxy: false,
		configPath: join(directory, 'wrangler.toml'),
		onLog: () => {},
		...changes,
	})
	const ask = async (path: string, headers: Record<string, string> = {}) =>
		JSON.parse(await get(new URL(path, runtime.url), headers))
	if (!staysShut) await runtime.control.openDoor()
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

test('nobody can say that they call from another address than their own', async () => {
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

test('does not answer at the port of the runtime itself, whatever header names the Worker', async () => {
	const { runtime } = await echoFor()
	for (const name of ['playhouse', 'pages', 'door', 'control']) {
		const headers = { 'MF-Route-Override': name, 'CF-Connecting-IP': '6.6.6.6' }
		for (const path of ['/', '/put', '/page'])
			expect([name, path, await statusOf(new URL(path, runtime.ownUrl), headers)]).toEqual([name, path, 404])
	}
})

test('refuses a request whose Host header or target names no host, as JSON like any other', async () => {
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
	// What is no HTTP/1.1 at all the runtime refuses by itself.
	for (const hosts of ['', 'Host: \r\n', 'Host: \xff\r\n'])
		expect(await get(hosts)).toMatch(/^HTTP\/1.1 400 /)
	for (const host of ['localhost:8787', 'a_b.example.', '[::1]:80', 'EXAMPLE.org', '127.0.0.1'])
		expect(await get(`Host: ${host}\r\n`, '/')).toMatch(/^HTTP\/1.1 200 /)
})

test('behind a trusted proxy the address is the one that the proxy saw, not what the caller claims', async () => {
	const { ask } = await echoFor({ trustsProxy: true })
	expect((await ask('/', { 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' })).ip).toBe('203.0.113.9')
	expect((await ask('/')).ip).toBe('127.0.0.1')
})

test('a caller on IPv6 is known by the bare address', async () => {
	const { ask } = await echoFor({ host: '::1', port: await reservePort('::1', 0) })
	expect((await ask('/')).ip).toBe('::1')
})

test('nobody is let in before the database is ready, and everybody after that', async () => {
	const { runtime, ask } = await echoFor({ staysShut: true })
	const early = await fetch(new URL('/page', runtime.url))
	expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
	expect(await early.json()).toEqual({ error: expect.stringContaining('try again') })
	// Migrations and the schedule do not come through the door.
	expect(await applyD1Migrations(runtime.control, [])).toEqual([])
	expect((await fetch(runtime.url)).status).toBe(503)
	await runtime.control.openDoor()
	expect(await ask('/page')).toBe('a static file')
})

test('variables that are given replace those of wrangler.toml', async () => {
	const { ask } = await echoFor()
	expect((await ask('/')).environment).toBe('development')
})

test('static files come from the Worker, which is asked first', async () => {
	const { ask } = await echoFor()
	expect(await ask('/page')).toBe('a static file')
	expect((await ask('/page.html')).environment).toBe('development')
})

test('rate limits are there and count', async () => {
	const { ask } = await echoFor()
	for (let call = 0; call < 120; call++) expect(await ask('/shield')).toEqual({ success: true })
	expect(await ask('/shield')).toEqual({ success: false })
})

test('bodies of a known length reach storage as such, and are there after the next start', async () => {
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

test('a scheduled run reaches the Worker under its expression, and one that fails is told', async () => {
	const { runtime, ask } = await echoFor()
	expect(runtime.crons).toContain('17 3 * * *')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
	expect(await ask('/size')).toBe('17 3 * * *'.length)
	await expect(runtime.control.runScheduled('1 1 1 1 1', new Date(0))).rejects.toThrow('1 1 1 1 1')
})

test('migrations are applied once, in order, each as a whole or not at all', async () => {
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

test('the schedule and the database are served while the Worker writes more log than is read at once', async () => {
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

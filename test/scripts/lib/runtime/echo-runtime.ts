import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CoreHeaders } from 'miniflare'
import { afterAll, onTestFinished } from 'vitest'
import { root } from '../../../../scripts/lib/root.ts'
import { startRuntime } from '../../../../scripts/lib/runtime/runtime.ts'
import type { RuntimeOptions } from '../../../../scripts/lib/runtime/runtime-options.ts'
import { reservePort } from '../../../../scripts/start/port.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'

// The runtime changes it for the whole process.
const coreHeaders = { ...CoreHeaders }
afterAll(() => Object.assign(CoreHeaders, coreHeaders))

/** A Worker that echoes its requests, so that tests see what the dev proxy changed. */
export const echo = `
export class Fleet { constructor(state, env) {} }
export class LiveStreams { constructor(state, env) {} }
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

export const writeBundle = async (directory: string, name: string, source: string) => {
	const bundle = join(directory, name)
	await mkdir(bundle, { recursive: true })
	await writeFile(join(bundle, 'worker.js'), source)
	return bundle
}

export async function startEcho(directory: string, { isClosed, ...changes }: Changes = {}) {
	await mkdir(join(directory, 'edge', 'web', 'public'), { recursive: true })
	await writeFile(join(directory, 'edge', 'web', 'public', 'page.html'), '"a static file"')
	await copyFile(join(root, 'wrangler.toml'), join(directory, 'wrangler.toml'))
	await writeFile(join(directory, 'edge', 'worker.ts'), '')
	const runtime = await startRuntime({
		host: '127.0.0.1',
		port: await reservePort('127.0.0.1', 0),
		bundle: await writeBundle(directory, 'bundle', echo),
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

export async function startEchoForTest(changes: Changes = {}) {
	const started = await startEcho(await temporaryDirectory(), changes)
	onTestFinished(() => started.runtime.stop())
	return started
}

/** @module-tag chromium */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { createSpace } from '#schema/contract/community/manage/spaces.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RestartingWorker, startRestartingWorker } from './restarting-worker.node.ts'

/** `npm run prove -- streams` writes a hundred, and prints how long they took. */
const WRITES = Number(process.env.STREAM_WRITES ?? 10)

let worker: RestartingWorker
let site: Server
let browsers: Browser[]
let origin: string
beforeAll(async () => {
	worker = await startRestartingWorker()
	site = createServer((_, response) =>
		response.setHeader('content-type', 'text/html').end('<!doctype html><title>community</title>'),
	).listen(0, '127.0.0.1')
	await once(site, 'listening')
	origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
	browsers = await Promise.all([openBrowser(), openBrowser()])
})
afterAll(async () => {
	for (const browser of browsers ?? []) await browser.close()
	site?.close()
	await worker?.dispose()
})

async function call<T>(
	method: string,
	path: string,
	body: object,
	headers: Record<string, string> = {},
): Promise<T> {
	const response = await fetch(worker.url + path, {
		method,
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	})
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
	return (await response.json()) as T
}

/** Creates a community with a post and two members, and returns the tokens of these. */
async function openCommunity() {
	const account = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	type Owner = { data: { token: string; org: { id: string } } }
	const owner = await call<Owner>('POST', signup.path, account)
	const session = { authorization: `Bearer ${owner.data.token}` }
	const made = await call<{ data: { id: number } }>(
		'POST',
		createCommunity.path,
		{ name: 'Club', slug: 'club' },
		session,
	)
	const communityId = made.data.id
	const space = await call<{ data: { id: number } }>(
		'POST',
		createSpace.path.replace('{communityId}', `${communityId}`),
		{ name: 'Space', slug: 'space', visibility: 'public' },
		session,
	)
	const key = await call<{ data: { key: string } }>(
		'POST',
		createApiKey.path.replace('{orgId}', owner.data.org.id),
		{ name: 'k', scopes: ['headless:auth', 'members:write'] },
		session,
	)
	const tokenOf = async (name: string) =>
		(
			await call<{ access_token: string }>(
				'POST',
				createMemberToken.path,
				{ sso_user_id: name, community_id: communityId, create: { name } },
				{ 'x-api-key': key.data.key },
			)
		).access_token
	const [writer, reader] = [await tokenOf('Bo'), await tokenOf('Cy')]
	const post = await call<{ id: number }>(
		'POST',
		`/api/headless/v1/spaces/${space.data.id}/posts`,
		{ body: 'Hello' },
		{ authorization: `Bearer ${writer}` },
	)
	return { writer, reader, postId: post.id }
}

/** What the page of the reader does, as docs/community/live-streams.md shows it. */
const reading = (api: string, token: string, postId: number) => `
	const headers = { authorization: 'Bearer ${token}', 'content-type': 'application/json' }
	const comments = '${api}/api/headless/v1/posts/${postId}/comments?per_page=100'
	window.heard = []
	window.known = new Set()
	window.starts = []
	let last
	async function readAgain() {
		for (let page = 1; ; page++) {
			const { records, has_next_page } = await (await fetch(comments + '&page=' + page, { headers })).json()
			for (const { id } of records) window.known.add(id)
			if (!has_next_page) return
		}
	}
	async function listen() {
		try {
			const body = JSON.stringify({ topics: ['post:${postId}'] })
			const asked = await fetch('${api}/api/headless/v1/stream_tokens', { method: 'POST', headers, body })
			const { token } = await asked.json()
			const query = new URLSearchParams({ token, ...(last && { last_event_id: last }) })
			const source = new EventSource('${api}/api/headless/v1/stream?' + query)
			source.onmessage = ({ lastEventId, data }) => {
				last = lastEventId || last
				const event = JSON.parse(data)
				if (event.type === 'ready' || event.type === 'reset') window.starts.push(event.type)
				if (event.type === 'reset') readAgain()
				if (event.type !== 'comment.created') return
				window.heard.push({ id: event.comment_id, at: Date.now() })
				window.known.add(event.comment_id)
			}
			source.onerror = () => source.readyState === EventSource.CLOSED && setTimeout(listen, 100)
		} catch {
			setTimeout(listen, 100)
		}
	}
	listen()`

const writing = (api: string, token: string, postId: number) => `
	window.write = async (n) => {
		const at = Date.now()
		const response = await fetch('${api}/api/headless/v1/posts/${postId}/comments', {
			method: 'POST', body: JSON.stringify({ body: 'Comment ' + n }),
			headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' },
		})
		return { id: (await response.json()).id, at }
	}`

async function countComments(token: string, postId: number): Promise<number> {
	const path = `/api/headless/v1/posts/${postId}/comments?per_page=100`
	for (let page = 1, count = 0; ; page++) {
		const response = await fetch(`${worker.url}${path}&page=${page}`, {
			headers: { authorization: `Bearer ${token}` },
		})
		const { records, has_next_page } = (await response.json()) as { records: []; has_next_page: boolean }
		count += records.length
		if (!has_next_page) return count
	}
}

type Heard = { id: number; at: number }

test('a browser receives each comment of another one once and in order, also after a restart of the Worker', {
	timeout: 600_000,
}, async () => {
	const { writer, reader, postId } = await openCommunity()
	const [a, b] = (await Promise.all(browsers.map((browser) => browser.newPage()))) as [Page, Page]
	const requests: string[] = []
	b.on('request', (request) => {
		if (request.method() !== 'OPTIONS') requests.push(new URL(request.url()).pathname)
	})
	await Promise.all([a.goto(origin), b.goto(origin)])
	requests.length = 0
	await a.evaluate(writing(worker.url, writer, postId))
	await b.evaluate(reading(worker.url, reader, postId))
	await b.waitForFunction('window.starts.length === 1')
	const write = (n: number) => a.evaluate<Heard>(`window.write(${n})`)
	const heard = () => b.evaluate<Heard[]>('window.heard')

	const written: Heard[] = []
	for (let n = 0; n < WRITES; n++) {
		written.push(await write(n))
		await b.waitForFunction(`window.heard.length === ${n + 1}`, null, { polling: 20 })
	}
	const first = await heard()
	expect(first.map(({ id }) => id)).toEqual(written.map(({ id }) => id))
	// One token and one stream: nothing is polled.
	expect(requests).toEqual(['/api/headless/v1/stream_tokens', '/api/headless/v1/stream'])
	const delays = first.map(({ at }, n) => at - (written[n]?.at ?? 0)).toSorted((x, y) => x - y)
	const share = (part: number) => delays[Math.ceil(part * delays.length) - 1]
	if (process.env.STREAM_WRITES)
		console.log(`write → other browser: median ${share(0.5)} ms, p95 ${share(0.95)} ms, most ${share(1)} ms`)

	// One write is on its way when the Worker dies; its answer may be lost.
	const dying = write(-1).catch(() => null)
	await worker.restart()
	await dying
	const after = [await write(-2), await write(-3)]
	await b.waitForFunction('window.starts.includes("reset")')
	const count = await countComments(writer, postId)
	await b.waitForFunction(`window.known.size === ${count}`)
	expect(count).toBeGreaterThanOrEqual(WRITES + after.length)
	const all = (await heard()).map(({ id }) => id)
	expect(new Set(all).size).toBe(all.length)
})

/** @module-tag chromium */

import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { createSpace } from '#schema/contract/community/manage/spaces.ts'
import { createEvent } from '#schema/contract/community/member/events.ts'
import { createPostComment, createReply } from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { createPost } from '#schema/contract/community/member/posts.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { accessibilityProblems } from '../support/node/accessibility.ts'
import { openBrowser } from '../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'
import { wholePng } from '../support/shared/whole-pictures.ts'

const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
const folder = join(import.meta.dirname, '..', '..', 'examples', 'community')
const types: Record<string, string> = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

let worker: RunningWorker
let server: Server
let browser: Browser
let page: Page
/** Paths of requests to the API, without preflights and images. */
const requests: string[] = []
const images: number[] = []
let postId: number

beforeAll(async () => {
	worker = await startWorker()
	postId = await fill()
	server = createServer(async ({ url = '/' }, response) => {
		const file = new URL(url, 'http://x').pathname.slice(1) || 'index.html'
		response.setHeader('content-type', `${types[file.split('.').at(-1) as string]}; charset=utf-8`)
		response.end(await readFile(join(folder, file)))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	browser = await openBrowser()
	page = await browser.newPage()
	page.on('request', (request) => {
		if (!request.url().startsWith(worker.url) || request.method() === 'OPTIONS') return
		if (request.resourceType() !== 'image') requests.push(request.url().slice(worker.url.length))
	})
	page.on('response', (response) => {
		if (response.request().resourceType() === 'image') images.push(response.status())
	})
	const { port } = server.address() as AddressInfo
	await page.goto(`http://127.0.0.1:${port}/?api=${worker.url}&community=club`)
})
afterAll(async () => {
	await browser?.close()
	server?.close()
	await worker?.dispose()
})

/** Makes a community with a post of 35 comments, ten of them with replies, and events. Returns the id of the post. */
async function fill(): Promise<number> {
	const { data } = await createClient({ baseUrl: worker.url, fetch }).call(signup, { body: person })
	const owner = createClient({ baseUrl: worker.url, fetch, token: data.token })
	const { id } = (await owner.call(createCommunity, { body: { name: 'Club', slug: 'club' } })).data
	const inCommunity: typeof fetch = (url, init) =>
		fetch(url, { ...init, headers: { ...(init?.headers as object), 'x-community-slug': 'club' } })
	const member = createClient({ baseUrl: worker.url, fetch: inCommunity as never, token: data.token })
	const params = { communityId: String(id) }
	const space = (await owner.call(createSpace, { params, body: { name: 'General', slug: 'general' } })).data
	const inSpace = { params: { spaceId: String(space.id) } }
	const write = async (i: number) => {
		const body =
			i === 6 ? '<img src=x onerror="document.title=\'hacked\'">' : `Hello ${'world '.repeat(i * 50)}`
		const post = await member.call(createPost, { ...inSpace, body: { name: `Post ${i}`, body } })
		const url = `${worker.url}/api/headless/v1/posts/${post.id}/images?alt=A%20view`
		const headers = { authorization: `Bearer ${data.token}`, 'content-type': 'image/png' }
		expect((await inCommunity(url, { method: 'POST', headers, body: wholePng })).status).toBe(201)
		return post.id
	}
	const last = (await Promise.all(Array.from({ length: 8 }, (_, i) => write(i)))).at(-1) as number
	const onPost = { params: { postId: String(last) } }
	const discuss = async (i: number) => {
		const comment = await member.call(createPostComment, { ...onPost, body: { body: `Comment ${i}` } })
		if (i % 4 > 0) return
		const under = { params: { commentId: String(comment.id) } }
		const reply = await member.call(createReply, { ...under, body: { body: 'I agree' } })
		for (const { id: reactable_id } of [comment, reply])
			await member.call(react, { body: { reactable_type: 'Comment', reactable_id, reaction: '🎬' } })
	}
	await Promise.all(Array.from({ length: 35 }, (_, i) => discuss(i)))
	for (let i = 0; i < 5; i++) {
		const [starts_at, ends_at] = ['2038-01-01T10:00:00Z', '2038-01-01T11:00:00Z'] as const
		const body = { title: `Meeting ${i}`, description: 'We meet', starts_at, ends_at, capacity: 10 }
		await member.call(createEvent, { ...inSpace, body })
	}
	return last
}

/** Opens a page of the front end, and returns the requests that it made. */
async function open(hash: string, title: string): Promise<string[]> {
	requests.length = 0
	await page.evaluate(`location.hash = '${hash}'`)
	await page.getByRole('heading', { level: 1, name: title }).waitFor()
	await page.waitForLoadState('networkidle')
	return [...requests]
}

test('a person signs in with the keyboard alone, and the feed takes one request with images shown by the browser', async () => {
	await page.getByLabel('Email').fill(person.email)
	await page.keyboard.press('Tab')
	await page.keyboard.type(person.password)
	await page.keyboard.press('Enter')
	await page.getByRole('heading', { name: 'Posts' }).waitFor()
	await page.waitForLoadState('networkidle')
	expect(requests).toEqual(['/v1/auth/login', '/api/headless/v1/home?body=excerpt'])
	const loaded = () =>
		page.evaluate<number[]>(
			`[...document.images].map((image) => (image.scrollIntoView(), image.naturalWidth))`,
		)
	await expect.poll(loaded).toEqual(Array(8).fill(2))
	expect(new Set(images)).toEqual(new Set([200]))
	expect(await page.title()).toBe('Posts')
})

test('the post page of the example front end with 35 comments and their replies takes two requests', async () => {
	expect(await open(`#/posts/${postId}`, 'Post 7')).toEqual([
		`/api/headless/v1/posts/${postId}/comments?per_page=100`,
		`/api/headless/v1/posts/${postId}`,
	])
	expect(await page.getByText(/^Comment \d+$/).count()).toBe(35)
	expect(await page.getByText('I agree').count()).toBe(9)
	expect(await page.getByRole('button', { name: '🎬: 1 reaction' }).count()).toBe(18)
})

test('the events page of the example front end takes one request', async () => {
	expect(await open('#/events', 'Events')).toEqual(['/api/headless/v1/community_events'])
	await page.getByRole('button', { name: 'Attend' }).first().press('Enter')
	await page.getByRole('button', { name: 'You are going' }).waitFor()
	expect(await page.getByText('1 of 10 going').count()).toBe(1)
})

test('a reaction and a comment reach the server by keyboard, and the focus stays', async () => {
	await open(`#/posts/${postId}`, 'Post 7')
	const button = page.getByRole('button', { name: /^👍/ }).first()
	await button.press('Enter')
	await page.getByRole('button', { name: '👍: 1 reaction' }).waitFor()
	expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('👍: 1 reaction')
	await page.getByLabel('Comment').last().fill('From the browser')
	await page.getByRole('button', { name: 'Send' }).last().press('Enter')
	await page.getByText('From the browser').waitFor()
})

test('every page is accessible in both themes and fits into 320 pixels', async () => {
	for (const width of [320, 1280]) {
		await page.setViewportSize({ width, height: 800 })
		for (const [hash, title] of [
			['#/', 'Posts'],
			[`#/posts/${postId}`, 'Post 7'],
			['#/events', 'Events'],
		] as const) {
			await open(hash, title)
			expect(await accessibilityProblems(page)).toEqual([])
		}
	}
})

import { beforeEach, describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { allRoutes } from '../../../edge/app.ts'
import { openWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const get = (path: string, headers: Record<string, string> = {}, origin = 'https://edge.test') =>
	world.fetch(new Request(`${origin}${path}`, { headers }))

describe('the contract and the Worker', () => {
	const placeOf = (op: { id: string; method: string; path: string }) => `${op.id}: ${op.method} ${op.path}`

	test('hold the same operations, each served once', () => {
		const served = allRoutes.map((route) => placeOf(route.op))
		expect(served.toSorted()).toEqual(allOperations.map(placeOf).toSorted())
		expect(new Set(served).size).toBe(served.length)
	})

	test.each(allOperations.map((op) => [placeOf(op), op] as const))(
		'%s is reached at its path',
		async (_, op) => {
			const path = op.path.replaceAll(/\{\w+\}/g, 'x')
			const response = await world.fetch(new Request(`https://edge.test${path}`, { method: 'OPTIONS' }))
			expect(response.headers.get('allow')?.split(', ')).toContain(op.method.toUpperCase())
		},
	)
})

describe('GET /openapi.json', () => {
	test('is the document, for any web page, and may be cached', async () => {
		const response = await get('/openapi.json', { origin: 'https://elsewhere.example' })
		expect(response.status).toBe(200)
		expect(response.headers.get('content-type')).toBe('application/json')
		expect(response.headers.get('access-control-allow-origin')).toBe('*')
		expect(response.headers.get('cache-control')).toContain('public')
		const document = (await response.json()) as { openapi: string; paths: Record<string, object> }
		expect(document.openapi).toMatch(/^3\.1\./)
		expect(Object.keys(document.paths).toSorted()).toEqual(
			[...new Set(allOperations.map((op) => op.path))].toSorted(),
		)
	})

	test('names the server as the caller reached it, or as PUBLIC_URL says', async () => {
		const serversAt = async (origin: string) =>
			((await (await get('/openapi.json', {}, origin)).json()) as { servers: object }).servers
		expect(await serversAt('https://one.test')).toEqual([{ url: 'https://one.test' }])
		expect(await serversAt('http://two.test:8787')).toEqual([{ url: 'http://two.test:8787' }])
		world.set({ PUBLIC_URL: 'https://video.example.org/' })
		expect(await serversAt('https://one.test')).toEqual([{ url: 'https://video.example.org' }])
	})

	test('is not sent again to one who has it', async () => {
		const etag = String((await get('/openapi.json')).headers.get('etag'))
		expect(etag).toMatch(/^"[\w-]{22}"$/)
		for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
			const again = await get('/openapi.json', { 'if-none-match': known })
			expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
		}
		expect((await get('/openapi.json', { 'if-none-match': '"other"' })).status).toBe(200)
		expect((await get('/openapi.json', { 'if-none-match': etag }, 'https://other.test')).status).toBe(200)
	})

	test('takes GET and HEAD alone', async () => {
		const head = await world.fetch(new Request('https://edge.test/openapi.json', { method: 'HEAD' }))
		expect([head.status, await head.text()]).toEqual([200, ''])
		const posted = await world.fetch(new Request('https://edge.test/openapi.json', { method: 'POST' }))
		expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
		expect(await posted.json()).toEqual({ error: expect.any(String) })
	})
})

describe('in production', () => {
	test.each(['/reference', '/reference/', '/reference/reference.js', '/reference/swagger-ui-bundle.js'])(
		'%s is unknown like any other address',
		async (path) => {
			world.set({ ENVIRONMENT: 'production' })
			const [reference, unknown] = [await get(path), await get('/no-such-thing')]
			expect([reference.status, await reference.text()]).toEqual([404, await unknown.text()])
		},
	)
})

test('a Worker without static files answers 404, and nothing else breaks', async () => {
	// biome-ignore lint/suspicious/noExplicitAny: a binding that is not there
	world.set({ ASSETS: undefined as any })
	for (const path of [
		'/',
		'/reference',
		'/landing/landing.css',
		'/join',
		'/join/join.js',
		'/shared/base.css',
	])
		expect((await get(path)).status).toBe(404)
	expect((await get('/openapi.json')).status).toBe(200)
})

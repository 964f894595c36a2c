/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { allRoutes } from '../../../../edge/app.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const get = (path: string, headers: Record<string, string> = {}, origin = 'https://edge.test') =>
	world.fetch(new Request(`${origin}${path}`, { headers }))

describe('the contract and the Worker', () => {
	const placeOf = (op: { id: string; method: string; path: string }) => `${op.id}: ${op.method} ${op.path}`

	test('the contract and the Worker have the same operations, each served once', () => {
		const served = allRoutes.map((route) => placeOf(route.op))
		expect(served.toSorted()).toEqual(allOperations.map(placeOf).toSorted())
		expect(new Set(served).size).toBe(served.length)
	})

	test.each(allOperations.map((op) => [placeOf(op), op] as const))(
		'the operation %s is served at its path',
		async (_, op) => {
			const path = op.path.replaceAll(/\{\w+\}/g, 'x')
			const response = await world.fetch(new Request(`https://edge.test${path}`, { method: 'OPTIONS' }))
			expect(response.headers.get('allow')?.split(', ')).toContain(op.method.toUpperCase())
		},
	)
})

describe('GET /openapi.json', () => {
	test('GET /openapi.json is open to any web page, and to shared caches only with PUBLIC_URL', async () => {
		const response = await get('/openapi.json', { origin: 'https://elsewhere.example' })
		expect(response.status).toBe(200)
		expect(response.headers.get('content-type')).toBe('application/json')
		expect(response.headers.get('access-control-allow-origin')).toBe('*')
		expect(response.headers.get('cache-control')).toBe('private, max-age=300')
		world.set({ PUBLIC_URL: 'https://video.example.org' })
		expect((await get('/openapi.json')).headers.get('cache-control')).toBe('public, max-age=300')
		const document = (await response.json()) as { openapi: string; paths: Record<string, object> }
		expect(document.openapi).toMatch(/^3\.1\./)
		expect(Object.keys(document.paths).toSorted()).toEqual(
			[...new Set(allOperations.map((op) => op.path))].toSorted(),
		)
	})

	test('the OpenAPI document lists the origin of the request as its server, or PUBLIC_URL if set', async () => {
		const serversAt = async (origin: string) =>
			((await (await get('/openapi.json', {}, origin)).json()) as { servers: object }).servers
		expect(await serversAt('https://one.test')).toEqual([{ url: 'https://one.test' }])
		expect(await serversAt('http://two.test:8787')).toEqual([{ url: 'http://two.test:8787' }])
		world.set({ PUBLIC_URL: 'https://video.example.org/' })
		expect(await serversAt('https://one.test')).toEqual([{ url: 'https://video.example.org' }])
	})

	test('the OpenAPI document names the address of the installation as the contact', async () => {
		const { info } = (await (await get('/openapi.json', {}, 'https://one.test')).json()) as {
			info: { contact: object }
		}
		expect(info.contact).toEqual({ name: 'The operator of the installation', url: 'https://one.test' })
	})

	test('GET /openapi.json answers 304 to a client that has the current document', async () => {
		const etag = String((await get('/openapi.json')).headers.get('etag'))
		expect(etag).toMatch(/^"[\w-]{22}"$/)
		for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
			const again = await get('/openapi.json', { 'if-none-match': known })
			expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
		}
		expect((await get('/openapi.json', { 'if-none-match': '"other"' })).status).toBe(200)
		expect((await get('/openapi.json', { 'if-none-match': etag }, 'https://other.test')).status).toBe(200)
	})

	test('the OpenAPI document is compressed for clients that accept gzip, under its own ETag', async () => {
		const whole = await (await get('/openapi.json')).text()
		const packed = await get('/openapi.json', { 'accept-encoding': 'br, GZIP;q=0.8' })
		expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([
			'gzip',
			'accept-encoding',
		])
		const bytes = await packed.arrayBuffer()
		expect(bytes.byteLength).toBeLessThan(whole.length / 5)
		const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
		expect(await new Response(unpacked).text()).toBe(whole)
		const etag = String(packed.headers.get('etag'))
		const again = await get('/openapi.json', { 'accept-encoding': 'gzip', 'if-none-match': etag })
		expect(again.status).toBe(304)
		expect((await get('/openapi.json', { 'if-none-match': etag })).status).toBe(200)
		const plain = await get('/openapi.json', { 'accept-encoding': 'gzip;q=0' })
		expect(plain.headers.get('content-encoding')).toBe(null)
	})

	test('the OpenAPI document is also served as YAML', async () => {
		const response = await get('/openapi.yaml')
		expect(response.headers.get('content-type')).toBe('application/yaml')
		expect(await response.text()).toMatch(/^openapi: "3\.1\.\d"\ninfo:\n {2}title: "Playhouse API"\n/)
	})

	test('the OpenAPI document allows only GET and HEAD', async () => {
		const head = await world.fetch(new Request('https://edge.test/openapi.json', { method: 'HEAD' }))
		expect([head.status, await head.text()]).toEqual([200, ''])
		const posted = await world.fetch(new Request('https://edge.test/openapi.json', { method: 'POST' }))
		expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
		expect(await posted.json()).toEqual({ error: expect.any(String) })
	})
})

describe('production', () => {
	test.each(['/reference', '/reference/', '/reference/search.js', '/reference/try.js', '/reference/auth'])(
		'%s answers 404 in production like any unknown path',
		async (path) => {
			world.set({ ENVIRONMENT: 'production' })
			const [reference, unknown] = [await get(path), await get('/no-such-thing')]
			expect([reference.status, await reference.text()]).toEqual([404, await unknown.text()])
		},
	)
})

test('a Worker without static files answers 404 for pages and still serves the API', async () => {
	// biome-ignore lint/suspicious/noExplicitAny: the binding is missing
	world.set({ ASSETS: undefined as any })
	for (const path of [
		'/',
		'/favicon.ico',
		'/reference',
		'/landing/landing.css',
		'/join',
		'/join/join.js',
		'/shared/base.css',
	])
		expect((await get(path)).status).toBe(404)
	expect((await get('/openapi.json')).status).toBe(200)
})

describe('an address that nothing serves', () => {
	const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

	test('an unknown address is a page for browsers, and an error of the API for programs', async () => {
		const secret = '/nosuch-%3Cscript%3Ealert(1)%3C/script%3E'
		for (const path of ['/nosuch', '/v1/nosuch', '/landing/nosuch.css', secret]) {
			const page = await get(path, browser)
			expect([path, page.status, page.headers.get('x-error-code')]).toEqual([path, 404, 'not_found'])
			expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
			expect(page.headers.get('content-security-policy')).toMatch(
				/^default-src 'none'; style-src 'self'; img-src/,
			)
			expect([page.headers.get('vary'), page.headers.get('cache-control')]).toEqual([
				'accept, Origin',
				'no-store',
			])
			const text = await page.text()
			expect(text).toContain('<h1 tabindex="-1">Page not found</h1>')
			expect(text).not.toMatch(/nosuch|alert/)
			for (const accept of ['*/*', 'application/json', '']) {
				const error = await get(path, { accept })
				expect([error.status, await error.json()]).toEqual([404, { error: 'not found' }])
			}
		}
		const head = await world.fetch(
			new Request('https://edge.test/nosuch', { method: 'HEAD', headers: browser }),
		)
		expect([head.status, await head.text()]).toEqual([404, ''])
		const posted = await world.fetch(
			new Request('https://edge.test/nosuch', { method: 'POST', headers: browser }),
		)
		expect(await posted.json()).toEqual({ error: 'not found' })
	})

	test('an operation keeps its error format, whatever the caller accepts', async () => {
		const { status, headers } = await get('/v1/playback/none', browser)
		expect([status, headers.get('content-type')]).toEqual([404, 'application/json'])
	})

	test('an unknown address with a slash names the address without it if that is served', async () => {
		const errorAt = async (path: string) => (await (await get(path)).json()) as object
		const hint = 'not found; remove the slash at the end: '
		expect(await errorAt('/v1/assets/')).toEqual({ error: `${hint}/v1/assets` })
		expect(await errorAt('/v1/assets/ast_1/?after=2')).toEqual({ error: `${hint}/v1/assets/ast_1` })
		for (const path of ['/v1/nosuch/', '/v1/assets/ast_1/nosuch/', `/v1/assets/${'a'.repeat(200)}/`, '//'])
			expect([path, await errorAt(path)]).toEqual([path, { error: 'not found' }])
		expect(await (await get('/v1/assets/', browser)).text()).toContain(
			'ends with a slash that does not belong',
		)
	})
})

test('GET /favicon.ico returns an icon, as browsers request it on every host', async () => {
	const icon = await get('/favicon.ico')
	expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/vnd.microsoft.icon'])
	expect([...new Uint8Array(await icon.arrayBuffer())].slice(0, 6)).toEqual([0, 0, 1, 0, 3, 0])
})

test('GET /robots.txt keeps search engines out of the API, and out of everything in development', async () => {
	const robots = await get('/robots.txt')
	expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
	expect(await robots.text()).toBe('User-agent: *\nDisallow: /\n')
	world.set({ ENVIRONMENT: 'production' })
	expect(await (await get('/robots.txt')).text()).toBe(
		'User-agent: *\nDisallow: /v1/\nAllow: /v1/playback/\nDisallow: /api/\n',
	)
})

describe('GET /.well-known/security.txt', () => {
	test('GET /.well-known/security.txt answers 404 without a configured contact', async () => {
		expect((await get('/.well-known/security.txt')).status).toBe(404)
	})

	test('GET /.well-known/security.txt lists the contacts and never expires', async () => {
		world.set({
			SECURITY_CONTACT: 'mailto:security@example.org, https://example.org/report',
			PUBLIC_URL: 'https://video.example.org',
		})
		const lines = async () => (await (await get('/.well-known/security.txt')).text()).split('\n')
		expect(await lines()).toEqual([
			'Contact: mailto:security@example.org',
			'Contact: https://example.org/report',
			'Expires: 2038-05-20T00:00:00.000Z',
			'Preferred-Languages: en',
			'Canonical: https://video.example.org/.well-known/security.txt',
			'',
		])
		expect((await get('/.well-known/security.txt')).headers.get('content-type')).toBe(
			'text/plain; charset=utf-8',
		)
		world.pass(400 * 24 * 3_600_000)
		const expires = (await lines()).find((line) => line.startsWith('Expires: '))?.slice('Expires: '.length)
		expect(Date.parse(expires ?? '')).toBeGreaterThan(world.now)
	})

	test('the Worker reports itself as not ready if a security contact is not a URL', async () => {
		world.set({ SECURITY_CONTACT: 'security@example.org' })
		expect((await get('/health/ready')).status).toBe(503)
	})
})

test('pages isolate themselves from other windows and declare a URL for violation reports', async () => {
	const pages = [
		'/',
		'/cancel-deletion',
		'/device',
		'/join',
		'/security',
		'/reference',
		'/unsubscribe?token=x',
	]
	for (const page of pages) {
		const { headers, status } = await get(page)
		expect([page, status, headers.get('cross-origin-opener-policy')]).toEqual([page, 200, 'same-origin'])
		expect(headers.get('reporting-endpoints')).toBe('default="/v1/reports"')
		expect(headers.get('content-security-policy')).not.toContain('unsafe')
		expect(headers.get('content-security-policy')).toMatch(/; report-uri \/v1\/reports; report-to default$/)
	}
	expect((await get('/landing/landing.css')).headers.get('reporting-endpoints')).toBe(null)
})

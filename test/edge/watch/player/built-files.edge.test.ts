/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../support/edge/world.ts'

const SCRIPT = '/player/embed-ABCDEFGH.js'
const files: Record<string, { body: string; type: string }> = {
	'/player/build.json': { body: '{}', type: 'application/json' },
	[SCRIPT]: { body: 'export {}', type: 'text/javascript' },
	'/landing/landing.css': { body: 'p {}', type: 'text/css' },
	'/player/secret.txt': { body: 'secret', type: 'text/plain' },
}

let world: World
let asked: string[]
beforeEach(async () => {
	world = await openWorld()
	asked = []
	// biome-ignore lint/suspicious/noExplicitAny: only variables may be set otherwise.
	world.set({ ASSETS: { fetch: serveFile } as any })
})

/** Serves files as the assets of a Worker do: with a tag, and with redirects for other names. */
async function serveFile(url: URL, init?: RequestInit): Promise<Response> {
	asked.push(url.pathname)
	const file = files[url.pathname]
	if (!file) return new Response(null, { status: 307, headers: { location: '/' } })
	const headers = { 'content-type': file.type, etag: '"1"', 'cache-control': 'no-cache' }
	if (new Headers(init?.headers).get('if-none-match') === '"1"')
		return new Response(null, { status: 304, headers })
	return new Response(init?.method === 'HEAD' ? null : file.body, { headers })
}

const get = async (path: string, init: RequestInit = {}) => {
	const response = await world.fetch(new Request(`https://edge.test${path}`, init))
	return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('a script of the player', () => {
	test('a script of the player is served to every site, immutable', async () => {
		const { status, headers, text } = await get(SCRIPT)
		expect([status, text]).toEqual([200, 'export {}'])
		expect(Object.fromEntries(headers)).toMatchObject({
			'content-type': 'text/javascript',
			'cache-control': 'public, max-age=31536000, immutable',
			'access-control-allow-origin': '*',
			'cross-origin-resource-policy': 'cross-origin',
			'x-content-type-options': 'nosniff',
		})
		const again = await get(SCRIPT, { headers: { 'if-none-match': '"1"' } })
		expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
		const head = await get(SCRIPT, { method: 'HEAD' })
		expect([head.status, head.text]).toEqual([200, ''])
		expect((await get(SCRIPT, { method: 'POST' })).status).toBe(405)
	})

	test.each([
		'/player/build.json',
		'/player/secret.txt',
		'/player/embed-ABCDEFGI.js',
		'/player/embed-abcdefgh.js',
		'/player/embed.js',
		'/player/..%2flanding%2flanding.css',
		'/player/%2e%2e%2flanding/landing.css',
		'/player/embed-ABCDEFGH.js%00.txt',
		'/player/embed-ABCDEFGH.js%2f..%2fbuild.json',
		'/player//player/embed-ABCDEFGH.js',
		'/player/embed-ABCDEFGH.js/',
		'/player/',
	])('a script of the player is found by its exact name alone, not as %s', async (path) => {
		const { status, headers } = await get(path)
		expect(status).toBe(404)
		expect(headers.get('cache-control') ?? '').not.toContain('immutable')
		expect(asked.filter((name) => name !== '/player/embed-ABCDEFGI.js')).toEqual([])
	})

	test('the scripts of the player are missing until they are built, and the pages report it', async () => {
		// biome-ignore lint/suspicious/noExplicitAny: only variables may be set otherwise.
		world.set({ ASSETS: undefined as any })
		expect((await get(SCRIPT)).status).toBe(404)
		const page = await get(`/embed/${'x'.repeat(22)}`)
		expect(page.status).toBe(503)
		expect(page.text).toContain('the player is being updated; try again')
	})
})

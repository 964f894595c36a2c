/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld({ CORS_ORIGINS: 'https://app.example.org' })
})

const LISTED = 'https://app.example.org'
const UNLISTED = 'https://elsewhere.example'

const ask = (path: string, origin: string, init: RequestInit = {}) =>
	world.fetch(new Request(`https://edge.test${path}`, { ...init, headers: { origin, ...init.headers } }))
const preflight = (path: string, origin: string, method: string) =>
	ask(path, origin, { method: 'OPTIONS', headers: { 'access-control-request-method': method } })
const allowed = (response: Response) => response.headers.get('access-control-allow-origin')

describe('web pages', () => {
	test('web pages of listed origins may call every operation, and others the public ones alone', async () => {
		expect(allowed(await ask('/v1/auth/me', LISTED))).toBe(LISTED)
		expect(allowed(await ask('/v1/auth/me', UNLISTED))).toBeNull()
		expect(allowed(await ask('/v1/config', UNLISTED))).toBe('*')
	})

	test('web pages get the response to a preflight without authentication', async () => {
		const listed = await preflight('/v1/orgs', LISTED, 'POST')
		expect([listed.status, allowed(listed)]).toEqual([204, LISTED])
		expect(listed.headers.get('access-control-allow-methods')).toContain('POST')
		expect(listed.headers.get('access-control-allow-headers')).toContain('Authorization')
		const unlisted = await preflight('/v1/orgs', UNLISTED, 'POST')
		expect([unlisted.status, allowed(unlisted)]).toEqual([204, null])
	})

	test('web pages can’t send cookies, and responses vary by origin for caches', async () => {
		for (const origin of [LISTED, UNLISTED, 'null']) {
			const response = await ask('/v1/auth/me', origin)
			expect(response.headers.get('access-control-allow-credentials')).toBeNull()
			expect(response.headers.get('vary')).toContain('Origin')
		}
	})

	test('web pages can read an error response and its headers', async () => {
		const refused = await ask('/v1/auth/me', LISTED)
		expect([refused.status, allowed(refused)]).toEqual([401, LISTED])
		expect(refused.headers.get('access-control-expose-headers')).toContain('X-Error-Code')
	})

	test('web pages of localhost may call in development but not in production', async () => {
		expect(allowed(await ask('/v1/auth/me', 'http://localhost:5173'))).toBe('http://localhost:5173')
		world.set({ ENVIRONMENT: 'production' })
		expect(allowed(await ask('/v1/auth/me', 'http://localhost:5173'))).toBeNull()
		expect(allowed(await ask('/v1/auth/me', 'http://localhost.evil.example'))).toBeNull()
	})
})

describe('every response', () => {
	test('every response has a request id and the security headers for browsers', async () => {
		for (const path of ['/v1/config', '/v1/auth/me', '/nope']) {
			const response = await ask(path, UNLISTED, { headers: { 'x-request-id': 'my-own-request-id' } })
			expect(response.headers.get('x-request-id')).toBe('my-own-request-id')
			expect(response.headers.get('x-content-type-options')).toBe('nosniff')
			expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
			expect(response.headers.get('cache-control')).toBe('no-store')
		}
		const evil = await ask('/nope', UNLISTED, { headers: { 'x-request-id': '<script>' } })
		expect(evil.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
	})

	test('a misconfigured installation hides the details from callers but logs them', async () => {
		world.set({ AUTH_SECRET: 'too short' })
		expect((await ask('/health/live', UNLISTED)).status).toBe(200)
		const response = await ask('/v1/config', UNLISTED)
		expect([response.status, await response.json()]).toEqual([
			503,
			{ error: 'this installation is misconfigured; see its log' },
		])
		expect(JSON.stringify(world.logs)).toContain('AUTH_SECRET')
	})
})

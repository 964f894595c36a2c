/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const ask = (init: RequestInit = {}) => world.fetch(new Request('https://edge.test/embed.js', init))

describe('/embed.js', () => {
	test('/embed.js is a script that pages of any origin may load, even cross-origin isolated ones', async () => {
		const { status, headers } = await ask({ headers: { origin: 'https://blog.example' } })
		expect(status).toBe(200)
		expect(headers.get('content-type')).toMatch(/^(text|application)\/javascript/)
		expect(headers.get('access-control-allow-origin')).toBe('*')
		expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
	})

	test('/embed.js is cached for an hour, and served while it is renewed', async () => {
		const { headers } = await ask()
		expect(headers.get('cache-control')).toBe('public, max-age=3600, stale-while-revalidate=86400')
		const again = await ask({ headers: { 'if-none-match': headers.get('etag') ?? '' } })
		expect([again.status, again.headers.get('cache-control')]).toEqual([304, headers.get('cache-control')])
	})

	test('/embed.js allows only GET and HEAD', async () => {
		const posted = await ask({ method: 'POST' })
		expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
		expect((await ask({ method: 'HEAD' })).status).toBe(200)
	})

	test('the embed script is served only at /embed.js', async () => {
		const response = await world.fetch(new Request('https://edge.test/player/embed.js'))
		expect(response.status).toBe(404)
	})
})

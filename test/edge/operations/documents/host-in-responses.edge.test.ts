/** @module-tag d1 */
import { expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { openWorld } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

const pages = ['/', '/openapi.json', '/device', '/join', '/security', '/cancel-deletion', '/unsubscribe']

test('no response that repeats the Host of its request may be stored by a shared cache', async () => {
	const world = await openWorld()
	const { playbackId } = await makeReady(world, await world.person())
	const reads = allOperations
		.filter(({ method, auth }) => method === 'get' && ['public', 'viewer'].includes(auth))
		.map(({ path }) => path.replaceAll('{playbackId}', playbackId).replaceAll(/\{\w+\}/g, '1'))
	const paths = [...pages, ...reads, `/watch/${playbackId}`, `/embed/${playbackId}`]
	const repeating: string[] = []
	for (const path of paths) {
		const query = path.includes('oembed') ? `?url=https://caller.example/watch/${playbackId}` : ''
		const response = await world.fetch(new Request(`https://caller.example${path}${query}`))
		const headers = JSON.stringify([...response.headers])
		if (!`${headers}${await response.text()}`.includes('caller.example')) continue
		repeating.push(path)
		const lifetime = response.headers.get('cache-control') ?? ''
		expect([path, lifetime]).toEqual([path, expect.stringMatching(/private|no-store/)])
	}
	expect(repeating).toEqual(expect.arrayContaining(['/openapi.json', `/watch/${playbackId}`]))
	expect(repeating.some((path) => path.includes('oembed'))).toBe(true)
})

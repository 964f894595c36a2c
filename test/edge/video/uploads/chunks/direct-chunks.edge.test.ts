import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { film, heldByObjects } from '../tus/tus-fixture.ts'
import { openChunks } from './chunk-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

describe('a direct upload in chunks', () => {
	test('a chunk is rejected when the asset has another source', async () => {
		const upload = await openChunks(world, ada, 'direct')
		await world.deps((d) =>
			d.db.all(`update assets set status = 'uploaded', source_key = 'other' where id = '${upload.assetId}'`),
		)
		expect((await upload.chunk(film(100), 0, 50)).status).toBe(409)
		expect(await heldByObjects()).toBe(0)
	})

	test('another organization can’t send a chunk of a direct upload', async () => {
		const bo = await world.person()
		const upload = await openChunks(world, ada, 'direct')
		const answer = await upload.send('bytes 0-4/10', new Uint8Array(5), {
			authorization: `Bearer ${bo.token}`,
		})
		expect([answer.status, await heldByObjects()]).toEqual([404, 0])
	})

	test('pages of other origins may upload in chunks, and read what is stored', async () => {
		const upload = await openChunks(world, ada, 'direct')
		const origin = 'http://localhost:3000'
		const url = `https://edge.test/v1/assets/${upload.assetId}/upload`
		const headers = { origin, 'access-control-request-method': 'PUT' }
		const preflight = await world.fetch(new Request(url, { method: 'OPTIONS', headers }))
		expect(preflight.headers.get('access-control-allow-headers')).toContain('Content-Range')
		const stored = await upload.send('bytes 0-4/10', new Uint8Array(5), { origin })
		expect(stored.headers.get('access-control-expose-headers')).toMatch(/\bRange$/)
	})
})

import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { digestBase64, film, MIB, openUpload, PART } from '../tus/tus-fixture.ts'
import { openChunks, ways } from './chunk-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const one = film(300_000)
const other = film(300_000).map((byte) => byte ^ 1)
/** Returns a copy with another byte. */
function changed(bytes: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
	const copy = bytes.slice()
	copy[at] = (copy[at] ?? 0) ^ 1
	return copy
}

describe.each(ways)('a %s upload in chunks', (way) => {
	test('an upload in chunks never stores a mix of two concurrent files', async () => {
		const upload = await openChunks(world, ada, way)
		await upload.chunk(one, 0, 100_000)
		await upload.chunk(other, 0, 100_000)
		await upload.chunk(one, 100_000, 200_000)
		const late = await upload.chunk(other, 100_000, 200_000)
		expect(late).toMatchObject({
			status: 409,
			text: expect.stringContaining('another file is being uploaded'),
		})
		expect((await upload.chunk(other, 200_000, 300_000)).status).toBe(409)
		expect((await upload.chunk(one, 200_000, 300_000)).status).toBe(409)
		await upload.chunk(other, 0, 100_000)
		expect((await upload.chunk(other, 100_000, 300_000)).status).toBe(200)
		expect((await upload.finished())?.digest).toBe(await digestBase64(other))
	})

	test('a first chunk that differs after 64 KiB restarts an upload in chunks', async () => {
		const upload = await openChunks(world, ada, way)
		const similar = changed(one, 150_000)
		await upload.chunk(one, 0, 200_000)
		expect((await upload.chunk(similar, 0, 200_000)).status).toBe(308)
		expect((await upload.chunk(similar, 200_000, 300_000)).status).toBe(200)
		expect((await upload.finished())?.digest).toBe(await digestBase64(similar))
	})

	test('a first chunk that differs after a first piece must be sent again', { tags: 'd1' }, async () => {
		const upload = await openChunks(world, ada, way)
		const bytes = film(PART + MIB)
		const similar = changed(bytes, PART + 10)
		await upload.chunk(bytes, 0, PART + 1_000)
		expect((await upload.chunk(similar, 0, PART + MIB)).status).toBe(503)
		expect((await upload.chunk(similar, 0, PART + MIB)).status).toBe(200)
		expect((await upload.finished())?.digest).toBe(await digestBase64(similar))
	})

	test('an upload in chunks refuses a later chunk that begins or ends within a stored piece', async () => {
		const upload = await openChunks(world, ada, way)
		await upload.chunk(one, 0, 1_000)
		await upload.chunk(one, 1_000, 3_000)
		for (const [start, end] of [
			[1_500, 4_000],
			[1_000, 2_000],
		] as const)
			expect(await upload.chunk(one, start, end)).toMatchObject({
				status: 409,
				text: expect.stringContaining('be compared'),
			})
		expect((await upload.chunk(one, 1_000, 300_000)).status).toBe(200)
		expect((await upload.finished())?.digest).toBe(await digestBase64(one))
	})
})

test('a complete presigned upload is replaced by another file of the same size', { tags: 'd1' }, async () => {
	const upload = await openChunks(world, ada, 'presigned')
	await upload.chunk(one, 0, 300_000)
	const similar = changed(one, 299_999)
	for (let tries = 0; tries < 2; tries++) await upload.chunk(similar, 0, 300_000)
	expect((await upload.finished())?.digest).toBe(await digestBase64(similar))
})

test('a presigned upload of another size than expected can be sent again', async () => {
	const upload = await openChunks(world, ada, 'presigned')
	await upload.chunk(one, 0, 300_000)
	expect((await upload.complete({ fileSize: 5 })).status).toBe(409)
	expect((await upload.chunk(one, 0, 100_000)).range).toBe('bytes=0-99999')
	expect((await upload.chunk(one, 100_000, 300_000)).status).toBe(200)
	expect((await upload.complete({ fileSize: 300_000 })).status).toBe(200)
})

test('a chunk does not drop a TUS upload that has bytes', async () => {
	const upload = await openUpload(world, ada)
	const location = await upload.begin(3_000)
	await upload.patch(location, 0, film(1_000))
	const put = () =>
		world.fetch(
			new Request(`https://edge.test/v1/assets/${upload.assetId}/upload`, {
				method: 'PUT',
				headers: {
					'content-range': 'bytes 0-4/10',
					'content-length': '5',
					authorization: `Bearer ${ada.token}`,
				},
				body: film(5),
			}),
		)
	const refused = await put()
	expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('DELETE')])
	expect(await upload.readOffset(location)).toBe(1_000)
	await upload.remove(location)
	expect((await put()).status).toBe(308)
})

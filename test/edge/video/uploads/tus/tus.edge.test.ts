import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import {
	digestBase64,
	film,
	heldByObjects,
	isOpen,
	MIB,
	openBody,
	openUpload,
	PART,
	purges,
	storedKeys,
	type Upload,
	uploadedEvents,
} from './tus-fixture.ts'

let world: World
let ada: Person
let upload: Upload
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	upload = await openUpload(world, ada)
})

describe('an upload', { tags: 'd1' }, () => {
	test.each([
		['nothing', 0],
		['one byte', 1],
		['one byte less than a part', PART - 1],
		['exactly one part', PART],
		['one byte more than a part', PART + 1],
		['exactly two parts', 2 * PART],
		['two parts and a partial one', 2 * PART + 4_321],
	])('an upload of %s becomes the source once', async (_, size) => {
		const bytes = film(size)
		const location = await upload.begin(size)
		if (size > 0) expect((await upload.patch(location, 0, bytes)).status).toBe(204)
		expect(await upload.status()).toBe('uploaded')
		const source = await upload.source()
		expect(source).toMatchObject({
			sizeBytes: size,
			contentType: 'video/mp4',
			digest: await digestBase64(bytes),
		})
		expect(source?.key.startsWith(upload.sourceKey)).toBe(true)
		expect(await uploadedEvents(world)).toHaveLength(1)
		expect(await storedKeys()).toEqual([source?.key])
		expect(await purges(world)).toEqual([])
		// A client that missed the last response can still ask for the offset.
		expect(await upload.readOffset(location)).toBe(size)
		expect((await upload.head(location)).headers.get('upload-expires')).toBeNull()
	})

	test.each([
		['of one byte', 1, 300],
		['of 64 KiB and one byte', 65_537, PART],
		['one byte smaller than a part', PART - 1, 3 * PART],
		['as large as a part', PART, 2 * PART + 5],
		['of 7 MiB', 7 * MIB, 4 * PART],
	])('an upload in chunks %s is stored unchanged', async (_, chunk, size) => {
		const bytes = film(size)
		const location = await upload.begin(size)
		for (let at = 0; at < size; at += chunk) {
			const answer = await upload.patch(location, at, bytes.slice(at, at + chunk))
			expect(answer.headers.get('upload-offset')).toBe(String(Math.min(size, at + chunk)))
		}
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('an upload merges hundreds of tiny chunks into one row', async () => {
		const location = await upload.begin(10_000)
		for (let at = 0; at < 400; at++) await upload.patch(location, at, film(1))
		const rows = await upload.inObject((_, { storage }) => storage.sql.exec('select 1 from tail').toArray())
		expect(rows).toHaveLength(1)
	})

	test('an upload keeps at most two parts in memory', async () => {
		let largest = 0
		const restore = await upload.inObject(() => {
			const original = globalThis.Uint8Array
			let held = 0
			// Counts every large buffer that this isolate allocates.
			globalThis.Uint8Array = new Proxy(original, {
				construct(target, args, self) {
					if (typeof args[0] === 'number' && args[0] >= MIB) {
						held += args[0]
						largest = Math.max(largest, held)
					}
					return Reflect.construct(target, args, self === globalThis.Uint8Array ? target : self)
				},
			})
			return () => {
				globalThis.Uint8Array = original
			}
		})
		try {
			const location = await upload.begin(8 * PART)
			const sender = openBody()
			const answer = upload.patch(location, 0, sender.body)
			const chunk = film(MIB - 3)
			for (let left = 8 * PART; left > 0; left -= chunk.byteLength)
				await sender.write(chunk.subarray(0, Math.min(left, chunk.byteLength)).slice())
			await sender.end()
			expect((await answer).status).toBe(204)
		} finally {
			restore()
		}
		expect(largest).toBe(2 * PART)
	})

	test('an upload empties its Durable Object when cancelled, and after it is finished and expired', async () => {
		const location = await upload.begin(3)
		expect(await heldByObjects()).toBe(1)
		await upload.remove(location)
		expect(await heldByObjects()).toBe(0)
		const again = await upload.begin(3)
		await upload.patch(again, 0, 'abc')
		expect(await heldByObjects()).toBe(1)
		expect(await upload.expire()).toBe(true)
		expect(await heldByObjects()).toBe(0)
		expect((await upload.source())?.sizeBytes).toBe(3)
	})
})

describe('concurrent clients of one upload', () => {
	test('concurrent clients do not corrupt an upload: the newer continues after the bytes of the older', async () => {
		const bytes = film(3 * PART)
		const location = await upload.begin(bytes.byteLength)
		const older = openBody()
		const first = upload.patch(location, 0, older.body)
		await older.write(bytes.slice(0, PART + 1_000))
		const offset = await upload.readOffset(location)
		expect([(await first).status, (await first).headers.get('x-error-code')]).toEqual([423, 'locked'])
		expect(offset).toBe(PART + 1_000)
		await older.cut()
		expect((await upload.patch(location, offset, bytes.slice(offset))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('concurrent clients that send the same bytes store the file once', async () => {
		const bytes = film(2 * PART + 777)
		const location = await upload.begin(bytes.byteLength)
		const client = async (chunk: number) => {
			const seen: number[] = []
			for (let round = 0; round < 60; round++) {
				const offset = await upload.readOffset(location)
				if (offset === bytes.byteLength) return seen
				seen.push((await upload.patch(location, offset, bytes.slice(offset, offset + chunk))).status)
			}
			throw new Error(`the upload did not finish: ${seen}`)
		}
		const answers = (await Promise.all([client(1_000_003), client(777_777), client(3 * MIB)])).flat()
		for (const status of answers) expect([204, 409, 423]).toContain(status)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
		expect(await uploadedEvents(world)).toHaveLength(1)
		expect(await storedKeys()).toHaveLength(1)
	})

	test('concurrent clients that both send the last byte finish the upload once', async () => {
		const location = await upload.begin(3)
		await upload.patch(location, 0, 'ab')
		const answers = await Promise.all([
			upload.patch(location, 2, 'c'),
			upload.patch(location, 2, 'c'),
			upload.head(location),
			upload.head(location),
		])
		expect(answers.map((a) => a.status)).toEqual([204, 409, 200, 200])
		expect(answers.slice(2).map((a) => a.headers.get('upload-offset'))).toEqual(['3', '3'])
		expect((await upload.source())?.sizeBytes).toBe(3)
		expect(await storedKeys()).toHaveLength(1)
		// An announcement that is left would make the sweep delete the source.
		expect(await purges(world)).toEqual([])
	})

	test('a client can cancel an upload while another one sends', async () => {
		const location = await upload.begin(3 * PART)
		const sender = openBody()
		const answer = upload.patch(location, 0, sender.body)
		await sender.write(film(PART + 1))
		const before = await upload.requireRecord()
		expect((await upload.remove(location)).status).toBe(204)
		expect([423, 404]).toContain((await answer).status)
		await sender.cut()
		expect((await upload.head(location)).status).toBe(404)
		expect(await isOpen({ ...before, ...(await upload.record()) })).toBe(false)
		expect(await storedKeys()).toEqual([])
	})
})

describe('a finished upload', { tags: 'd1' }, () => {
	test('a finished upload rejects more bytes and keeps its source after cancellation and repeated events', async () => {
		const location = await upload.begin(3)
		await upload.patch(location, 0, 'abc')
		await world.deliver()
		await world.deliver([...world.messages])
		expect(await upload.readOffset(location)).toBe(3)
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(409)
		expect((await upload.patch(location, 3, 'd')).status).toBe(413)
		expect((await upload.remove(location)).status).toBe(204)
		expect((await upload.source())?.sizeBytes).toBe(3)
		world.pass(10 * 86_400_000)
		await world.cron('* * * * *')
		await world.deliver()
		expect((await upload.source())?.sizeBytes).toBe(3)
	})
})

describe('SQL statements', { tags: 'd1' }, () => {
	test('the requests of an upload run few SQL statements', async () => {
		const costs: Record<string, number> = {}
		const cost = async (name: string, act: () => Promise<unknown>) => {
			world.statements.length = 0
			await act()
			costs[name] = world.statements.length
		}
		let location = ''
		await cost('POST', async () => {
			location = await upload.begin(6)
		})
		await cost('HEAD', () => upload.head(location))
		await cost('PATCH', () => upload.patch(location, 0, 'abc'))
		await cost('last PATCH', () => upload.patch(location, 3, 'def'))
		await cost('OPTIONS', () => upload.send('OPTIONS', location))
		await cost('DELETE', () => upload.remove(location))
		expect(costs).toEqual({ POST: 2, HEAD: 1, PATCH: 1, 'last PATCH': 8, OPTIONS: 0, DELETE: 1 })
	})
})

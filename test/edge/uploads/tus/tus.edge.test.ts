import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import {
	digestOf,
	film,
	heldByObjects,
	isOpen,
	lineOf,
	MIB,
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

describe('an upload', () => {
	test.each([
		['nothing', 0],
		['one byte', 1],
		['a part less a byte', PART - 1],
		['exactly one part', PART],
		['one byte more than a part', PART + 1],
		['exactly two parts', 2 * PART],
		['two parts and a bit', 2 * PART + 4_321],
	])('of %s becomes the source, once', async (_, size) => {
		const bytes = film(size)
		const location = await upload.begin(size)
		if (size > 0) expect((await upload.patch(location, 0, bytes)).status).toBe(204)
		expect(await upload.status()).toBe('uploaded')
		const source = await upload.source()
		expect(source).toMatchObject({ sizeBytes: size, contentType: 'video/mp4', digest: await digestOf(bytes) })
		expect(source?.key.startsWith(upload.sourceKey)).toBe(true)
		expect(await uploadedEvents(world)).toHaveLength(1)
		expect(await storedKeys()).toEqual([source?.key])
		expect(await purges(world)).toEqual([])
		// Still there for a client that did not hear the last answer.
		expect(await upload.offsetOf(location)).toBe(size)
		expect((await upload.head(location)).headers.get('upload-expires')).toBeNull()
	})

	test.each([
		['of one byte', 1, 300],
		['of 64 KiB and a bit', 65_537, PART],
		['that are nearly parts', PART - 1, 3 * PART],
		['that are exactly parts', PART, 2 * PART + 5],
		['of 7 MiB', 7 * MIB, 4 * PART],
	])('in chunks %s arrives whole', async (_, chunk, size) => {
		const bytes = film(size)
		const location = await upload.begin(size)
		for (let at = 0; at < size; at += chunk) {
			const answer = await upload.patch(location, at, bytes.slice(at, at + chunk))
			expect(answer.headers.get('upload-offset')).toBe(String(Math.min(size, at + chunk)))
		}
		expect((await upload.source())?.digest).toBe(await digestOf(bytes))
	})

	test('merges thousands of tiny chunks into few rows', async () => {
		const location = await upload.begin(10_000)
		for (let at = 0; at < 400; at++) await upload.patch(location, at, film(1))
		const rows = await upload.inObject((_, { storage }) => storage.sql.exec('select 1 from tail').toArray())
		expect(rows).toHaveLength(1)
	})

	test('holds at most two parts in memory', async () => {
		let largest = 0
		const counted = await upload.inObject(() => {
			const original = globalThis.Uint8Array
			let held = 0
			// Every buffer that this isolate makes itself for a part is seen here.
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
			const line = lineOf()
			const answer = upload.patch(location, 0, line.body)
			const chunk = film(MIB - 3)
			for (let left = 8 * PART; left > 0; left -= chunk.byteLength)
				await line.write(chunk.subarray(0, Math.min(left, chunk.byteLength)).slice())
			await line.end()
			expect((await answer).status).toBe(204)
		} finally {
			counted()
		}
		expect(largest).toBe(2 * PART)
	})

	test('leaves nothing in its object once it was given up, and a mark of its end once it is done', async () => {
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

describe('two clients on one upload', () => {
	test('never corrupt it: the newer goes on from what the older brought', async () => {
		const bytes = film(3 * PART)
		const location = await upload.begin(bytes.byteLength)
		const older = lineOf()
		const first = upload.patch(location, 0, older.body)
		await older.write(bytes.slice(0, PART + 1_000))
		const offset = await upload.offsetOf(location)
		expect([(await first).status, (await first).headers.get('x-error-code')]).toEqual([423, 'locked'])
		expect(offset).toBe(PART + 1_000)
		await older.cut()
		expect((await upload.patch(location, offset, bytes.slice(offset))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestOf(bytes))
	})

	test('that send the same at once: of each step one counts, and what comes out is the file', async () => {
		const bytes = film(2 * PART + 777)
		const location = await upload.begin(bytes.byteLength)
		const client = async (chunk: number) => {
			const seen: number[] = []
			for (let round = 0; round < 60; round++) {
				const offset = await upload.offsetOf(location)
				if (offset === bytes.byteLength) return seen
				seen.push((await upload.patch(location, offset, bytes.slice(offset, offset + chunk))).status)
			}
			throw new Error(`came to no end: ${seen}`)
		}
		const answers = (await Promise.all([client(1_000_003), client(777_777), client(3 * MIB)])).flat()
		for (const status of answers) expect([204, 409, 423]).toContain(status)
		expect((await upload.source())?.digest).toBe(await digestOf(bytes))
		expect(await uploadedEvents(world)).toHaveLength(1)
		expect(await storedKeys()).toHaveLength(1)
	})

	test('that both send the last byte: one brings it, and it is done for everyone who asks', async () => {
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
		// Announced by neither any more, or the sweep would take the source.
		expect(await purges(world)).toEqual([])
	})

	test('that end it while it is written: it is gone', async () => {
		const location = await upload.begin(3 * PART)
		const line = lineOf()
		const answer = upload.patch(location, 0, line.body)
		await line.write(film(PART + 1))
		const before = await upload.known()
		expect((await upload.remove(location)).status).toBe(204)
		expect([423, 404]).toContain((await answer).status)
		await line.cut()
		expect((await upload.head(location)).status).toBe(404)
		expect(await isOpen({ ...before, ...(await upload.record()) })).toBe(false)
		expect(await storedKeys()).toEqual([])
	})
})

describe('an upload that is done', () => {
	test('takes no more, keeps its source when it is given up, and knows of events that come late', async () => {
		const location = await upload.begin(3)
		await upload.patch(location, 0, 'abc')
		await world.deliver()
		await world.deliver([...world.messages])
		expect(await upload.offsetOf(location)).toBe(3)
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

describe('SQL statements', () => {
	test('of each request are few', async () => {
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
		await cost('PATCH, the last', () => upload.patch(location, 3, 'def'))
		await cost('OPTIONS', () => upload.send('OPTIONS', location))
		await cost('DELETE', () => upload.remove(location))
		expect(costs).toEqual({ POST: 2, HEAD: 1, PATCH: 1, 'PATCH, the last': 7, OPTIONS: 0, DELETE: 1 })
	})
})

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { MAX_DIRECT_BYTES } from '#schema/contract/video/uploads.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { DAY } from '../../../../../edge/platform/clock.ts'
import type { ResumableUpload } from '../../../../../edge/video/uploads/tus/upload-object.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { digestBase64, film, heldByObjects, MIB, openBody, PART, storedKeys } from '../tus/tus-fixture.ts'
import { type Chunks, openChunks, type Way, ways } from './chunk-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

describe.each(ways)('a %s upload in chunks', (way: Way) => {
	let upload: Chunks
	beforeEach(async () => {
		upload = await openChunks(world, ada, way)
	})
	const isStored = async (bytes: Uint8Array<ArrayBuffer>) =>
		expect(await upload.finished()).toEqual({
			sizeBytes: bytes.byteLength,
			contentType: 'video/mp4',
			digest: await digestBase64(bytes),
		})

	test.each([
		['1 kB chunks', 1_000, 20_500],
		['chunks of 256 KiB', 256 * 1024, 2 * MIB + 7],
		['chunks of a part', PART, 2 * PART],
		['chunks of 7 MiB', 7 * MIB, 23 * MIB + 1],
		['chunks of 30 MiB', 30 * MIB, 31 * MIB],
		['one chunk', 12 * MIB, 12 * MIB],
		['a file of one byte', 1, 1],
	])('an upload in chunks stores %s as one file', { tags: 'd1' }, async (_, chunkBytes, size) => {
		const bytes = film(size)
		for (let start = 0; start < size; start += chunkBytes) {
			const end = Math.min(size, start + chunkBytes)
			expect(await upload.status()).toBe('created')
			const { status, range } = await upload.chunk(bytes, start, end)
			expect([status, range]).toEqual(end === size ? [200, null] : [308, `bytes=0-${end - 1}`])
		}
		await isStored(bytes)
		expect((await upload.get()).sourceSizeBytes).toBe(size)
	})

	test('an upload in chunks names the stored bytes before, during and after the upload', {
		tags: 'd1',
	}, async () => {
		const bytes = film(PART + 100)
		expect(await upload.askStored(bytes.byteLength)).toMatchObject({ status: 308, range: null })
		await upload.chunk(bytes, 0, 70)
		for (const total of [bytes.byteLength, '*'] as const)
			expect(await upload.askStored(total)).toMatchObject({ status: 308, range: 'bytes=0-69' })
		expect(await upload.askStored(5_000)).toMatchObject({ status: 308, range: null })
		await upload.chunk(bytes, 70, bytes.byteLength)
		expect((await upload.askStored(bytes.byteLength)).status).toBe(200)
		await isStored(bytes)
	})

	test('an upload in chunks stores repeated and overlapping chunks once', async () => {
		const bytes = film(2 * PART + 300)
		await upload.chunk(bytes, 0, 3 * MIB)
		expect((await upload.chunk(bytes, 0, 3 * MIB)).range).toBe(`bytes=0-${3 * MIB - 1}`)
		expect((await upload.chunk(bytes, MIB, 7 * MIB)).range).toBe(`bytes=0-${7 * MIB - 1}`)
		expect((await upload.chunk(bytes, 0, 3 * MIB)).range).toBe(`bytes=0-${7 * MIB - 1}`)
		expect((await upload.chunk(bytes, 0, bytes.byteLength)).status).toBe(200)
		expect((await upload.chunk(bytes, 7 * MIB, bytes.byteLength)).status).toBe(200)
		await isStored(bytes)
	})

	test('an upload in chunks stores nothing of a chunk that leaves a gap', { tags: 'd1' }, async () => {
		const bytes = film(3_000)
		const early = await upload.chunk(bytes, 1_000, 2_000)
		expect(early).toMatchObject({ status: 409, text: expect.stringContaining('start with its first byte') })
		await upload.chunk(bytes, 0, 1_000)
		expect(await upload.chunk(bytes, 2_000, 3_000)).toMatchObject({ status: 308, range: 'bytes=0-999' })
		await upload.chunk(bytes, 1_000, 2_000)
		expect((await upload.chunk(bytes, 2_000, 3_000)).status).toBe(200)
		await isStored(bytes)
	})

	test('an upload in chunks stores concurrent chunks without mixing them', async () => {
		const bytes = film(4_000)
		const starts = [0, 1_000, 2_000, 3_000]
		const answers = await Promise.all(starts.map((start) => upload.chunk(bytes, start, start + 1_000)))
		for (const { status } of answers) expect([200, 308, 409]).toContain(status)
		for (const start of starts) await upload.chunk(bytes, start, start + 1_000)
		await isStored(bytes)
	})

	test('a chunk with another total does not continue a file', { tags: 'd1' }, async () => {
		const bytes = film(3_000)
		await upload.chunk(bytes, 0, 1_000)
		expect((await upload.chunk(bytes, 1_000, 2_000, 9_000)).status).toBe(409)
		expect((await upload.chunk(bytes, 1_000, 3_000)).status).toBe(200)
		await isStored(bytes)
	})

	test('the first chunk of another file restarts an upload in chunks, even with the same size', {
		tags: 'd1',
	}, async () => {
		const other = film(3_000).map((byte) => byte ^ 1)
		await upload.chunk(film(2_500), 0, 1_000)
		await upload.chunk(film(3_000), 0, 2_000)
		expect((await upload.chunk(other, 0, 1_000)).range).toBe('bytes=0-999')
		expect((await upload.chunk(other, 1_000, 3_000)).status).toBe(200)
		await isStored(other)
	})

	test('an upload in chunks keeps the bytes of a chunk whose connection breaks', { tags: 'd1' }, async () => {
		const bytes = film(PART + 3 * MIB)
		const { body, write, cut } = openBody()
		const answer = upload.send(`bytes 0-${bytes.byteLength - 1}/${bytes.byteLength}`, body, {
			'content-length': String(bytes.byteLength),
		})
		await write(bytes.slice(0, PART + MIB))
		await cut()
		expect(await answer).toMatchObject({ status: 308, range: expect.stringMatching(/^bytes=0-\d+$/) })
		const stored = Number((await upload.askStored(bytes.byteLength)).range?.slice(8)) + 1
		expect(stored).toBeGreaterThanOrEqual(PART)
		expect((await upload.chunk(bytes, stored, bytes.byteLength)).status).toBe(200)
		await isStored(bytes)
	})

	test('an upload in chunks keeps the stored bytes when a repeated first chunk breaks at once', async () => {
		const bytes = film(200_000)
		await upload.chunk(bytes, 0, 150_000)
		const { body, write, cut } = openBody()
		const answer = upload.send('bytes 0-149999/200000', body, { 'content-length': '150000' })
		await write(bytes.slice(0, 10))
		await cut()
		await answer
		expect((await upload.askStored(200_000)).range).toBe('bytes=0-149999')
	})

	test.each([
		['bytes 0-4/*', 'bytes 0-1048575/5000000'],
		['bytes 0-1,3-5/10', 'bytes 0-1048575/5000000'],
		['bytes 0-4/10, bytes 5-9/10', 'bytes 0-1048575/5000000'],
		['bytes=0-4/10', 'bytes 0-1048575/5000000'],
		['bytes -5/10', 'bytes 0-1048575/5000000'],
		['items 0-4/10', 'bytes 0-1048575/5000000'],
		['', 'bytes 0-1048575/5000000'],
		['bytes 5-4/10', 'within the file'],
		['bytes 6-10/10', 'within the file'],
		['bytes 0-4/4', 'within the file'],
		['bytes 0-5/10', 'the body has 5 bytes, the range 6'],
		[`bytes 0-4/${MAX_DIRECT_BYTES + 1}`, 'larger than'],
		['bytes 0-4/99999999999999999999', 'bytes 0-1048575/5000000'],
		['bytes */10', 'takes no body'],
	])(
		'an upload in chunks rejects "%s" with a sentence that names TUS',
		{ tags: 'd1' },
		async (range, problem) => {
			const answer = await upload.send(range, new Uint8Array(5))
			expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('TUS') })
			expect(answer.text.replaceAll('&#34;', '"')).toContain(problem)
			expect([await storedKeys(), await heldByObjects(), await upload.status()]).toEqual([[], 0, 'created'])
		},
	)

	test('an upload in chunks is dropped after 3 days without a chunk', { tags: 'd1' }, async () => {
		await upload.chunk(film(8 * MIB), 0, 6 * MIB)
		const objects = env.UPLOADS as DurableObjectNamespace<ResumableUpload>
		const object = objects.getByName(upload.assetId)
		const expiresAt = await runInDurableObject(object, (_, { storage }) => {
			const [row] = storage.sql.exec<{ record: string }>('select record from upload').toArray()
			storage.sql.exec("update upload set record = json_set(record, '$.expiresAt', 0)")
			return JSON.parse(row?.record ?? '{}').expiresAt as number
		})
		expect(expiresAt - world.now).toBe(3 * DAY)
		expect(await runDurableObjectAlarm(object)).toBe(true)
		expect([await heldByObjects(), await storedKeys()]).toEqual([0, []])
		expect((await upload.chunk(film(8 * MIB), 6 * MIB, 8 * MIB)).status).toBe(409)
	})

	test('an upload in chunks is dropped with its asset', { tags: 'd1' }, async () => {
		await upload.chunk(film(8 * MIB), 0, 6 * MIB)
		await world.ask(deleteAsset, { params: { assetId: upload.assetId } }, ada)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await heldByObjects()).toBe(0)
		expect((await upload.chunk(film(8 * MIB), 0, 6 * MIB)).status).toBe(404)
	})

	test('an upload in chunks is rejected unread when the storage of the tier is full', async () => {
		await world.deps((d) =>
			d.db.batch([
				d.db.update(orgs).set({ tier: 'free' }),
				d.db.update(assets).set({ sourceSizeBytes: Number.MAX_SAFE_INTEGER - MIB }),
			]),
		)
		const answer = await upload.chunk(film(8 * MIB), 0, 6 * MIB)
		expect([answer.status, await heldByObjects()]).toEqual([403, 0])
	})
})

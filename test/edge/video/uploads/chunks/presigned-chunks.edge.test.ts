import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../../../edge/platform/clock.ts'
import type { ResumableUpload } from '../../../../../edge/video/uploads/tus/upload-object.ts'
import { appendChunkTo } from '../../../../../edge/video/uploads/tus/upload-stub.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { digestBase64, film, heldByObjects, MIB, PART, storedKeys } from '../tus/tus-fixture.ts'
import { type Chunks, openChunks } from './chunk-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

describe('a presigned upload in chunks', () => {
	let upload: Chunks
	beforeEach(async () => {
		upload = await openChunks(world, ada, 'presigned')
	})

	test('an upload in chunks is not completed while bytes are missing', async () => {
		const bytes = film(3_000)
		await upload.chunk(bytes, 0, 1_000)
		const early = await upload.complete()
		expect([early.status, early.error]).toEqual([
			409,
			'1000 of 3000 bytes are stored; PUT the rest to uploadUrl first',
		])
		await upload.chunk(bytes, 1_000, 3_000)
		const done = await upload.complete({ fileSize: 3_000 })
		expect(done.ok.data).toEqual({ id: upload.assetId, status: 'uploaded', sourceSizeBytes: 3_000 })
	})

	test('a presigned upload is completed although the request with its last chunk died', async () => {
		const bytes = film(PART + 10)
		await upload.chunk(bytes, 0, PART)
		const last = {
			id: 'presigned',
			start: PART,
			bytes: 10,
			totalBytes: PART + 10,
			begin: null,
			now: world.now,
		}
		const object = (env.UPLOADS as DurableObjectNamespace<ResumableUpload>).getByName(upload.assetId)
		await appendChunkTo(object, last, new Response(bytes.slice(PART)).body)
		expect(await storedKeys()).toEqual([])
		expect((await upload.finished())?.digest).toBe(await digestBase64(bytes))
	})

	test('a presigned upload replaces an older file only when complete, and never completes that file', {
		tags: 'd1',
	}, async () => {
		const bytes = film(3_000)
		await upload.chunk(bytes, 0, 3_000)
		const other = film(4_000)
		await upload.chunk(other, 0, 1_000)
		expect((await upload.complete()).status).toBe(409)
		await upload.chunk(other, 1_000, 4_000)
		expect((await upload.finished())?.digest).toBe(await digestBase64(other))
	})

	test('a presigned upload in chunks continues with an expired URL, which starts no new upload', async () => {
		const bytes = film(3_000)
		await upload.chunk(bytes, 0, 1_000)
		world.pass(DAY)
		expect((await upload.chunk(bytes, 1_000, 2_000)).range).toBe('bytes=0-1999')
		const other = await upload.chunk(film(5_000), 0, 1_000)
		expect(other).toMatchObject({ status: 403, text: expect.stringContaining('ExpiredRequest') })
		ada = { ...ada, token: await world.logIn(ada) }
		expect((await upload.chunk(bytes, 2_000, 3_000)).status).toBe(200)
		world.pass(3 * DAY + HOUR)
		expect((await upload.askStored(3_000)).status).toBe(403)
	})

	test('the sweep keeps an upload in chunks whose URL was created again', { tags: 'd1' }, async () => {
		const bytes = film(3_000)
		await upload.chunk(bytes, 0, 1_000)
		await upload.renewUrl()
		world.pass(2 * DAY)
		await upload.chunk(bytes, 1_000, 3_000)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await storedKeys()).toHaveLength(1)
	})

	test('an upload in chunks is dropped when a PUT of the whole file overtakes it', {
		tags: 'd1',
	}, async () => {
		const bytes = film(8 * MIB)
		await upload.chunk(bytes, 0, 6 * MIB)
		await env.VAULT.put(`sources/${upload.assetId}/source`, film(10))
		await upload.complete()
		await world.deliver()
		expect(await heldByObjects()).toBe(0)
	})

	test('a presigned upload in chunks rejects conditions, which it can’t check', async () => {
		const answer = await upload.send('bytes 0-4/10', new Uint8Array(5), { 'if-none-match': '*' })
		expect([answer.status, await heldByObjects()]).toEqual([501, 0])
	})
})

/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import {
	digestBase64,
	film,
	heldByObjects,
	isOpen,
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

const remove = () => world.ask(deleteAsset, { params: { assetId: upload.assetId } }, ada)
const uploadRaw = (bytes: BodyInit) =>
	world.ask(uploadSource, { params: { assetId: upload.assetId } }, { ...ada, bytes })

describe('an unfinished upload', () => {
	test('a cancelled upload leaves no stored bytes', async () => {
		const { location, record: before } = await upload.beginPartial()
		expect(await isOpen(before)).toBe(true)
		expect((await upload.remove(location)).status).toBe(204)
		expect([(await upload.head(location)).status, (await upload.remove(location)).status]).toEqual([404, 404])
		expect((await upload.patch(location, PART + 1, 'x')).status).toBe(404)
		expect([await isOpen(before), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
	})

	test('an expired upload leaves no stored bytes', async () => {
		const { location, record: before } = await upload.beginPartial()
		world.pass(3 * 86_400_000 - 60_000)
		expect(await upload.readOffset(location)).toBe(PART + 1)
		world.pass(60_000)
		expect(await upload.readOffset(location)).toBe(404)
		expect((await upload.patch(location, PART + 1, 'x')).status).toBe(404)
		expect(await upload.expire()).toBe(true)
		expect([await isOpen(before), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
	})

	test('an unfinished upload is kept when its alarm fires early', async () => {
		const { location } = await upload.beginPartial()
		const result = await upload.inObject((object) => object.alarm())
		expect(result).toBeUndefined()
		expect(await upload.readOffset(location)).toBe(PART + 1)
		expect(await upload.inObject((_, { storage }) => storage.getAlarm())).toBeGreaterThan(Date.now())
	})

	test('an unfinished upload leaves nothing after another upload replaces it', async () => {
		const { location, record: before } = await upload.beginPartial()
		const next = await upload.begin(3)
		expect((await upload.head(location)).status).toBe(404)
		expect(await isOpen(before)).toBe(false)
		await upload.patch(next, 0, 'abc')
		expect((await upload.source())?.sizeBytes).toBe(3)
		expect(await storedKeys()).toHaveLength(1)
	})

	test('an unfinished upload leaves nothing after the asset is deleted, with or without another request', async () => {
		const { location, record: before } = await upload.beginPartial()
		await remove()
		expect((await upload.patch(location, PART + 1, film(5))).status).toBe(404)
		expect([await isOpen(before), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(404)

		upload = await openUpload(world, ada)
		const second = await upload.beginPartial()
		await remove()
		await world.deliver()
		expect([await isOpen(second.record), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
	})

	test('an unfinished upload leaves nothing when the asset is deleted while bytes arrive', async () => {
		const location = await upload.begin(2 * PART)
		const sender = openBody()
		const answer = upload.patch(location, 0, sender.body)
		await sender.write(film(PART + 9))
		await remove()
		await sender.write(film(PART - 9))
		await sender.end()
		expect((await answer).status).toBe(404)
		expect([await storedKeys(), await heldByObjects()]).toEqual([[], 0])
		expect(await uploadedEvents(world)).toEqual([])
	})

	test('an unfinished upload leaves nothing after its sources are purged with the organization', async () => {
		const { record: before } = await upload.beginPartial()
		await world.deps((d) =>
			d.db.all(
				`insert into storage_purges values ('vault', 'sources/${upload.assetId}/', 1, ${world.now + 1}) returning 1`,
			),
		)
		await world.cron('* * * * *')
		await world.deliver()
		expect([await isOpen(before), await heldByObjects()]).toEqual([false, 0])
	})

	test('an unfinished upload leaves nothing after the asset receives another source', async () => {
		const { location, record: before } = await upload.beginPartial()
		const raw = await uploadRaw('the film')
		expect((await upload.head(location)).status).toBe(410)
		expect((await upload.patch(location, PART + 1, film(5))).status).toBe(404)
		expect(await isOpen(before)).toBe(false)
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(409)
		expect(await storedKeys()).toEqual([raw.ok.data.sourceKey])

		upload = await openUpload(world, ada)
		const second = await upload.beginPartial()
		await uploadRaw('another film')
		await world.deliver()
		expect(await isOpen(second.record)).toBe(false)
		expect(await upload.source()).toMatchObject({ sizeBytes: 12 })
	})

	test('an unfinished upload leaves nothing when the asset gets another source during the last request', async () => {
		const location = await upload.begin(2 * PART)
		const sender = openBody()
		const answer = upload.patch(location, 0, sender.body)
		await sender.write(film(PART + 9))
		const raw = await uploadRaw('the film')
		await sender.write(film(PART - 9))
		await sender.end()
		expect((await answer).status).toBe(409)
		expect(await storedKeys()).toEqual([raw.ok.data.sourceKey])
		expect(await uploadedEvents(world)).toHaveLength(1)
		expect(await heldByObjects()).toBe(0)
	})
})

describe('recovery from a crashed Worker', () => {
	/** Returns an upload that received all its bytes but was not assembled. */
	const beginReceived = async () => {
		const bytes = film(PART + 3)
		const location = await upload.begin('deferred')
		await upload.patch(location, 0, bytes)
		await upload.inObject((_, { storage }) => {
			storage.sql.exec(
				"update upload set record = json_set(record, '$.lengthBytes', json_extract(record, '$.offset'))",
			)
		})
		return { location, digest: await digestBase64(bytes) }
	}

	test('an upload whose Worker crashed is assembled at the next request', async () => {
		const { location, digest } = await beginReceived()
		expect(await upload.status()).toBe('created')
		expect(await upload.readOffset(location)).toBe(PART + 3)
		expect(await upload.source()).toMatchObject({ digest })
		expect(await purges(world)).toEqual([])
	})

	test('a crashed upload finds the object that the bucket assembled but no row records', async () => {
		const { location, digest } = await beginReceived()
		const { key, multipartId } = await upload.requireRecord()
		const kept = await upload.inObject((_, { storage }) => ({
			parts: storage.sql.exec<{ number: number; etag: string }>('select * from parts').toArray(),
		}))
		const multipart = env.VAULT.resumeMultipartUpload(key, String(multipartId))
		const last = await multipart.uploadPart(2, film(PART + 3).slice(PART))
		await multipart.complete([{ partNumber: 1, etag: String(kept.parts[0]?.etag) }, last])
		expect(await upload.readOffset(location)).toBe(PART + 3)
		expect(await upload.source()).toMatchObject({ digest })
	})

	test('a crashed upload is marked as finished if the asset already has its source', async () => {
		const location = await upload.begin(3)
		await upload.patch(location, 0, 'abc')
		await upload.inObject((_, { storage }) => {
			storage.sql.exec("update upload set record = json_set(record, '$.isFinished', json('false'))")
		})
		expect(await upload.readOffset(location)).toBe(3)
		expect((await upload.requireRecord()).isFinished).toBe(true)
		expect(await upload.source()).toMatchObject({ sizeBytes: 3 })
		expect(await uploadedEvents(world)).toHaveLength(1)
	})

	test('the stored object of a crashed upload is swept after it expires if the client never returns', async () => {
		const { location } = await beginReceived()
		const { key, expiresAt } = await upload.requireRecord()
		await world.deps((d) =>
			d.db.all(
				`insert into storage_purges values ('vault', '${key}', ${expiresAt}, ${expiresAt}) returning 1`,
			),
		)
		await upload.inObject((object) => object.assemble(location.split('/').at(-1) as string, world.now))
		expect(await storedKeys()).toEqual([key])
		await world.cron('* * * * *')
		await world.deliver()
		expect(await storedKeys()).toEqual([key])
		world.pass(expiresAt - world.now + 1)
		await world.cron('* * * * *')
		await world.deliver()
		expect([await storedKeys(), await purges(world)]).toEqual([[], []])
		expect(await upload.readOffset(location)).toBe(404)
		expect(await upload.source()).toBeNull()
	})

	test('an upload returns 410 if the bucket dropped its parts, and allows a new one', async () => {
		const { location } = await beginReceived()
		const { key, multipartId } = await upload.requireRecord()
		await env.VAULT.resumeMultipartUpload(key, String(multipartId)).abort()
		expect((await upload.head(location)).status).toBe(410)
		expect([await storedKeys(), await purges(world), await heldByObjects()]).toEqual([[], [], 0])
		const again = await upload.begin(3)
		expect((await upload.patch(again, 0, 'abc')).status).toBe(204)
	})
})

import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/assets.ts'
import { uploadSource } from '#schema/contract/uploads.ts'
import { openWorld, type Person, type World } from '../world.ts'
import {
	digestOf,
	film,
	heldByObjects,
	isOpen,
	lineOf,
	MIB,
	openUpload,
	PART,
	storedKeys,
	type Upload,
} from './tus-kit.ts'

let world: World
let ada: Person
let upload: Upload
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	upload = await openUpload(world, ada)
})

const uploadedEvents = () =>
	world.deps((d) => d.db.all("select id from outbox where type = 'asset.uploaded'"))
const purges = () => world.deps((d) => d.db.all<{ prefix: string }>('select prefix from storage_purges'))
const record = async () => {
	const known = await upload.record()
	if (!known) throw new Error('there is no upload')
	return known
}
/** An upload that has parts in the bucket, and how to see whether they are still there. */
async function half() {
	const location = await upload.begin(3 * PART)
	await upload.patch(location, 0, film(PART + 1))
	return { location, record: await record() }
}
const remove = () => world.ask(deleteAsset, { params: { assetId: upload.assetId } }, ada)
const uploadRaw = (bytes: BodyInit) =>
	world.ask(uploadSource, { params: { assetId: upload.assetId } }, { ...ada, bytes })

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
		expect(await uploadedEvents()).toHaveLength(1)
		expect(await storedKeys()).toEqual([source?.key])
		expect(await purges()).toEqual([])
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

	test('in thousands of tiny chunks does not become thousands of rows', async () => {
		const location = await upload.begin(10_000)
		for (let at = 0; at < 400; at++) await upload.patch(location, at, film(1))
		const rows = await upload.inObject((_, { storage }) => storage.sql.exec('select 1 from tail').toArray())
		expect(rows).toHaveLength(1)
	})

	test('holds no more than two parts while any number goes through', async () => {
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
		expect(await uploadedEvents()).toHaveLength(1)
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
		expect(await purges()).toEqual([])
	})

	test('that end it while it is written: it is gone', async () => {
		const location = await upload.begin(3 * PART)
		const line = lineOf()
		const answer = upload.patch(location, 0, line.body)
		await line.write(film(PART + 1))
		const before = await record()
		expect((await upload.remove(location)).status).toBe(204)
		expect([423, 404]).toContain((await answer).status)
		await line.cut()
		expect((await upload.head(location)).status).toBe(404)
		expect(await isOpen({ ...before, ...(await upload.record()) })).toBe(false)
		expect(await storedKeys()).toEqual([])
	})
})

describe('the token', () => {
	const FIFTEEN = 15 * 60_000 + 31_000

	test('that has expired begins nothing, and goes on with what was begun', async () => {
		const location = await upload.begin(6)
		await upload.patch(location, 0, 'abc')
		world.pass(FIFTEEN)
		const refused = await upload.post({ 'upload-length': '6' })
		expect([refused.status, refused.headers.get('x-error-code')]).toEqual([401, 'unauthorized'])
		expect(await upload.offsetOf(location)).toBe(3)
		expect((await upload.patch(location, 3, 'def')).status).toBe(204)
		expect(await upload.status()).toBe('uploaded')
	})

	test('may be a newer one of the same asset', async () => {
		const location = await upload.begin(3)
		world.pass(FIFTEEN)
		const { token } = await upload.mint()
		expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(204)
	})

	test('of another asset, of the same organization or another, knows nothing of the upload', async () => {
		const { location, record: before } = await half()
		const bo = await world.person()
		for (const other of [await openUpload(world, ada), await openUpload(world, bo)]) {
			const answers = [
				await upload.head(location, { token: other.token }),
				await upload.patch(location, PART + 1, 'x', { token: other.token }),
				await upload.remove(location, { token: other.token }),
			]
			expect(answers.map((a) => [a.status, a.headers.get('upload-offset')])).toEqual(
				Array(3).fill([404, null]),
			)
			// Not even with the name of the other source.
			expect((await upload.post({ 'upload-length': '3' }, { token: other.token })).status).toBe(403)
		}
		expect(await record()).toEqual(before)
		expect(await upload.offsetOf(location)).toBe(PART + 1)
	})

	test('is needed, and nothing else will do', async () => {
		const location = await upload.begin(3)
		for (const token of ['', 'x', ada.token, `${upload.token}x`, `${upload.token.slice(0, -4)}AAAA`]) {
			expect((await upload.head(location, { token })).status).toBe(401)
			expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(401)
			expect((await upload.post({ 'upload-length': '3' }, { token })).status).toBe(401)
		}
	})

	test('opens nothing of an organization that is suspended', async () => {
		const location = await upload.begin(3)
		await world.deps((d) =>
			d.db.all(`update orgs set suspended_at = 1 where id = '${ada.orgId}' returning 1`),
		)
		const answer = await upload.patch(location, 0, 'abc')
		expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'org_suspended'])
		expect(await upload.source()).toBeNull()
	})

	test('is 501 where there is nothing to sign with, and where no object is bound', async () => {
		world.set({ UPLOADS: undefined as unknown as string })
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(501)
		world.set({ AUTH_SECRET: '' })
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(501)
	})
})

describe('an upload that comes to nothing leaves nothing', () => {
	test('when it is given up', async () => {
		const { location, record: before } = await half()
		expect(await isOpen(before)).toBe(true)
		expect((await upload.remove(location)).status).toBe(204)
		expect([(await upload.head(location)).status, (await upload.remove(location)).status]).toEqual([404, 404])
		expect((await upload.patch(location, PART + 1, 'x')).status).toBe(404)
		expect([await isOpen(before), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
	})

	test('when nobody comes back', async () => {
		const { location, record: before } = await half()
		world.pass(3 * 86_400_000 - 60_000)
		expect(await upload.offsetOf(location)).toBe(PART + 1)
		world.pass(60_000)
		expect(await upload.offsetOf(location)).toBe(404)
		expect((await upload.patch(location, PART + 1, 'x')).status).toBe(404)
		expect(await upload.expire()).toBe(true)
		expect([await isOpen(before), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
	})

	test('unless its alarm comes before its time', async () => {
		const { location } = await half()
		const rang = await upload.inObject((object) => object.alarm())
		expect(rang).toBeUndefined()
		expect(await upload.offsetOf(location)).toBe(PART + 1)
		expect(await upload.inObject((_, { storage }) => storage.getAlarm())).toBeGreaterThan(Date.now())
	})

	test('when another is begun in its place', async () => {
		const { location, record: before } = await half()
		const next = await upload.begin(3)
		expect((await upload.head(location)).status).toBe(404)
		expect(await isOpen(before)).toBe(false)
		await upload.patch(next, 0, 'abc')
		expect((await upload.source())?.sizeBytes).toBe(3)
		expect(await storedKeys()).toHaveLength(1)
	})

	test('when the asset is deleted: at the next step, or without one', async () => {
		const { location, record: before } = await half()
		await remove()
		expect((await upload.patch(location, PART + 1, film(5))).status).toBe(404)
		expect([await isOpen(before), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(404)

		upload = await openUpload(world, ada)
		const second = await half()
		await remove()
		await world.deliver()
		expect([await isOpen(second.record), await storedKeys(), await heldByObjects()]).toEqual([false, [], 0])
	})

	test('when the asset is deleted while bytes are coming in', async () => {
		const location = await upload.begin(2 * PART)
		const line = lineOf()
		const answer = upload.patch(location, 0, line.body)
		await line.write(film(PART + 9))
		await remove()
		await line.write(film(PART - 9))
		await line.end()
		expect((await answer).status).toBe(404)
		expect([await storedKeys(), await heldByObjects()]).toEqual([[], 0])
		expect(await uploadedEvents()).toEqual([])
	})

	test('when its organization goes with the account of its owner', async () => {
		const { record: before } = await half()
		await world.deps((d) =>
			d.db.all(
				`insert into storage_purges values ('vault', 'sources/${upload.assetId}/', 1, ${world.now + 1}) returning 1`,
			),
		)
		await world.cron('* * * * *')
		await world.deliver()
		expect([await isOpen(before), await heldByObjects()]).toEqual([false, 0])
	})

	test('when the asset gets its source in another way', async () => {
		const { location, record: before } = await half()
		const raw = await uploadRaw('the film')
		expect((await upload.head(location)).status).toBe(410)
		expect((await upload.patch(location, PART + 1, film(5))).status).toBe(404)
		expect(await isOpen(before)).toBe(false)
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(409)
		expect(await storedKeys()).toEqual([raw.ok.data.sourceKey])

		upload = await openUpload(world, ada)
		const second = await half()
		await uploadRaw('another film')
		await world.deliver()
		expect(await isOpen(second.record)).toBe(false)
		expect(await upload.source()).toMatchObject({ sizeBytes: 12 })
	})

	test('when another source came at the very end', async () => {
		const location = await upload.begin(2 * PART)
		const line = lineOf()
		const answer = upload.patch(location, 0, line.body)
		await line.write(film(PART + 9))
		const raw = await uploadRaw('the film')
		await line.write(film(PART - 9))
		await line.end()
		expect((await answer).status).toBe(409)
		expect(await storedKeys()).toEqual([raw.ok.data.sourceKey])
		expect(await uploadedEvents()).toHaveLength(1)
		expect(await heldByObjects()).toBe(0)
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

describe('a Worker that dies', () => {
	/** As if it had ended at that point: the steps before it were taken, those after it were not. */
	const received = async () => {
		const bytes = film(PART + 3)
		const location = await upload.begin('deferred')
		await upload.patch(location, 0, bytes)
		await upload.inObject((_, { storage }) => {
			storage.sql.exec(
				"update upload set record = json_set(record, '$.lengthBytes', json_extract(record, '$.offset'))",
			)
		})
		return { location, digest: await digestOf(bytes) }
	}

	test('before the object was put together: the next question finishes it', async () => {
		const { location, digest } = await received()
		expect(await upload.status()).toBe('created')
		expect(await upload.offsetOf(location)).toBe(PART + 3)
		expect(await upload.source()).toMatchObject({ digest })
		expect(await purges()).toEqual([])
	})

	test('after the bucket had it and before anyone wrote that down', async () => {
		const { location, digest } = await received()
		const { key, multipartId } = await record()
		const kept = await upload.inObject((_, { storage }) => ({
			parts: storage.sql.exec<{ number: number; etag: string }>('select * from parts').toArray(),
		}))
		const multipart = env.VAULT.resumeMultipartUpload(key, String(multipartId))
		const last = await multipart.uploadPart(2, film(PART + 3).slice(PART))
		await multipart.complete([{ partNumber: 1, etag: String(kept.parts[0]?.etag) }, last])
		expect(await upload.offsetOf(location)).toBe(PART + 3)
		expect(await upload.source()).toMatchObject({ digest })
	})

	test('after the asset had its source and before the upload knew', async () => {
		const location = await upload.begin(3)
		await upload.patch(location, 0, 'abc')
		await upload.inObject((_, { storage }) => {
			storage.sql.exec("update upload set record = json_set(record, '$.isFinished', json('false'))")
		})
		expect(await upload.offsetOf(location)).toBe(3)
		expect((await record()).isFinished).toBe(true)
		expect(await upload.source()).toMatchObject({ sizeBytes: 3 })
		expect(await uploadedEvents()).toHaveLength(1)
	})

	test('and whose client never comes back: what was stored is swept when the upload is over', async () => {
		const { location } = await received()
		const { key, expiresAt } = await record()
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
		expect([await storedKeys(), await purges()]).toEqual([[], []])
		expect(await upload.offsetOf(location)).toBe(404)
		expect(await upload.source()).toBeNull()
	})

	test('and whose parts the bucket has given up: it is gone, and can be begun again', async () => {
		const { location } = await received()
		const { key, multipartId } = await record()
		await env.VAULT.resumeMultipartUpload(key, String(multipartId)).abort()
		expect((await upload.head(location)).status).toBe(410)
		expect([await storedKeys(), await purges(), await heldByObjects()]).toEqual([[], [], 0])
		const again = await upload.begin(3)
		expect((await upload.patch(again, 0, 'abc')).status).toBe(204)
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

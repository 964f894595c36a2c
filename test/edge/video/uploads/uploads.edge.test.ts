import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createAsset, deleteAsset, getAsset } from '#schema/contract/video/assets.ts'
import {
	completeUpload,
	createUploadToken,
	createUploadUrl,
	importSource,
	MAX_DIRECT_BYTES,
	uploadSource,
} from '#schema/contract/video/uploads.ts'
import { DAY, HOUR } from '../../../../edge/platform/clock.ts'
import { announceSource } from '../../../../edge/video/assets/assets.ts'
import { storedObjects } from '../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
let assetId: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	assetId = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id
})

const params = () => ({ assetId })
const status = async () => (await world.ask(getAsset, { params: params() }, ada)).ok.data.status
const createUrl = (body?: { writeOnce: boolean }) =>
	world.ask(createUploadUrl, { params: params(), ...(body && { body }) }, ada)
const complete = (who: Person = ada) => world.ask(completeUpload, { params: params() }, who)
const upload = (bytes: BodyInit, headers: Record<string, string> = {}) =>
	world.ask(uploadSource, { params: params() }, { ...ada, bytes, headers })
const put = (url: string, body: string, headers: Record<string, string> = {}) =>
	world.fetch(
		new Request(url, { method: 'PUT', body, headers: { 'content-length': String(body.length), ...headers } }),
	)
const source = () =>
	world.deps(async (d) => {
		const [row] = await d.db.all<Record<string, unknown>>(
			`select source_key, source_etag, source_size_bytes, source_url from assets where id = '${assetId}'`,
		)
		return row
	})
const stored = async () => (await storedObjects(env.VAULT)).map(({ key, size }) => [key, size])
const uploadedEvents = () =>
	world.deps((d) => d.db.all("select id from outbox where type = 'asset.uploaded'"))

describe('a presigned upload URL', () => {
	test('a presigned upload URL accepts the file, and upload-complete makes it the source', async () => {
		const { ok } = await createUrl()
		const { uploadUrl, sourceKey, method, headers, expiresAt } = ok.data
		expect([method, headers]).toEqual(['PUT', {}])
		expect(Date.parse(expiresAt) - world.now).toBeGreaterThan(3_598_000)
		expect((await put(uploadUrl, 'the film')).status).toBe(200)
		expect(await status()).toBe('created')
		const done = await complete()
		expect([done.status, done.ok.data]).toEqual([
			200,
			{ id: assetId, status: 'uploaded', sourceSizeBytes: 8 },
		])
		const object = await env.VAULT.head(sourceKey)
		expect(await source()).toEqual({
			source_key: sourceKey,
			source_etag: object?.etag,
			source_size_bytes: 8,
			source_url: null,
		})
		expect(await uploadedEvents()).toHaveLength(1)
	})

	test('a presigned upload URL accepts one PUT if it is write-once', async () => {
		const { uploadUrl, headers } = (await createUrl({ writeOnce: true })).ok.data
		expect(headers).toEqual({ 'if-none-match': '*' })
		expect((await put(uploadUrl, 'the film')).status).toBe(403)
		expect((await put(uploadUrl, 'the film', headers)).status).toBe(200)
		expect((await put(uploadUrl, 'another', headers)).status).toBe(412)
		await complete()
		expect((await source())?.source_size_bytes).toBe(8)
	})

	test('a presigned upload URL expires after an hour', async () => {
		const { uploadUrl } = (await createUrl()).ok.data
		world.pass(3_600_000)
		expect((await put(uploadUrl, 'late')).status).toBe(403)
		expect(await stored()).toEqual([])
	})

	test('a second PUT to a presigned upload URL keeps the completed version as the source', async () => {
		const { uploadUrl } = (await createUrl()).ok.data
		await put(uploadUrl, 'the film')
		await complete()
		const before = await source()
		await put(uploadUrl, 'another film')
		expect(await source()).toEqual(before)
		expect((await env.VAULT.head(String(before?.source_key)))?.etag).not.toBe(before?.source_etag)
	})

	test('upload-complete is rejected without a file, with an empty file, or twice', async () => {
		const nothing = await complete()
		expect([nothing.status, nothing.code]).toEqual([409, 'conflict'])
		const { uploadUrl } = (await createUrl()).ok.data
		await put(uploadUrl, '')
		expect((await complete()).status).toBe(409)
		expect(await status()).toBe('created')
		await put(uploadUrl, 'the film')
		const answers = await Promise.all([complete(), complete(), complete()])
		expect(answers.map((a) => a.status).toSorted()).toEqual([200, 409, 409])
		expect((await complete()).status).toBe(409)
		expect((await createUrl()).status).toBe(409)
		expect(await uploadedEvents()).toHaveLength(1)
	})

	test('an uncompleted presigned upload is kept for a day', { tags: 'd1' }, async () => {
		const film = async (text: string) => {
			const { uploadUrl, sourceKey } = (await createUrl()).ok.data
			await put(uploadUrl, text)
			return sourceKey
		}
		const kept = await film('the film')
		await complete()
		assetId = (await world.ask(createAsset, { body: { title: 'Uncompleted' } }, ada)).ok.data.id
		await film('abandoned')
		const wait = async (ms: number) => {
			world.pass(ms)
			ada = { ...ada, token: await world.logIn(ada) }
			await world.cron('* * * * *')
			await world.deliver()
		}
		await wait(DAY)
		expect(await stored()).toHaveLength(2)
		await wait(HOUR)
		expect(await stored()).toEqual([[kept, 8]])
		expect([(await complete()).status, await status()]).toEqual([409, 'created'])
		// A new URL starts a new day for the file that is uploaded with it.
		await film('second try.')
		await wait(DAY)
		expect((await complete()).status).toBe(200)
		await wait(2 * DAY)
		expect((await stored()).map(([, size]) => size).toSorted()).toEqual([11, 8])
	})

	test('upload-complete is rejected when the file is due for deletion', async () => {
		const { uploadUrl } = (await createUrl()).ok.data
		await put(uploadUrl, 'the film')
		world.pass(DAY + HOUR)
		ada = { ...ada, token: await world.logIn(ada) }
		expect(await complete()).toMatchObject({ status: 410, code: 'gone' })
		expect(await status()).toBe('created')
	})

	test('a completed source cannot be announced again for deletion, so the sweep keeps it', async () => {
		const { uploadUrl, sourceKey } = (await createUrl()).ok.data
		await put(uploadUrl, 'the film')
		await complete()
		// A concurrent request that loaded the asset before the completion continues like this.
		const late = world.deps((d) =>
			announceSource(d, { id: assetId, orgId: ada.orgId }, sourceKey, d.now + HOUR),
		)
		await expect(late).rejects.toMatchObject({ code: 'conflict' })
		world.pass(2 * HOUR)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await stored()).toEqual([[sourceKey, 8]])
	})

	test('a presigned upload URL returns 501 without AUTH_SECRET, as an upload token does', async () => {
		const write = await world.ask(
			createApiKey,
			{ params: { orgId: ada.orgId }, body: { name: 'w', scopes: ['write'] } },
			ada,
		)
		world.set({ AUTH_SECRET: '' })
		const who = { key: write.ok.data.key }
		expect((await world.ask(createUploadUrl, { params: params() }, who)).status).toBe(501)
		const token = await world.ask(createUploadToken, { params: params(), body: { fileSize: 1 } }, who)
		expect(token.status).toBe(501)
	})
})

describe('an upload token', () => {
	const ask = (fileSize: unknown = 1_000) =>
		world.ask(createUploadToken, { params: params(), body: { fileSize: fileSize as number } }, ada)

	test('an upload token is valid for one source key and 15 minutes', async () => {
		const { token, sourceKey } = (await ask()).ok.data
		const claims = decodeJwt(token)
		expect(claims).toMatchObject({
			sub: sourceKey,
			aud: 'upload',
			asset: assetId,
			org: ada.orgId,
			size: 1_000,
		})
		expect(Number(claims.exp) - Number(claims.iat)).toBe(900)
		expect(sourceKey).toContain(assetId)
	})

	test('an upload token can be requested again until there is a source', async () => {
		expect((await ask()).ok.data.sourceKey).toBe((await ask()).ok.data.sourceKey)
		await upload('the film')
		expect([(await ask()).status, (await ask()).code]).toEqual([409, 'conflict'])
	})

	test('an upload token allows 1 byte to 10 GiB', async () => {
		for (const size of [1, 10 * 1024 ** 3]) expect((await ask(size)).status).toBe(200)
		for (const size of [0, -1, 1.5, 10 * 1024 ** 3 + 1, '5', null]) expect((await ask(size)).status).toBe(400)
	})
})

describe('a direct upload', () => {
	test('a direct upload becomes the source at once', async () => {
		const { ok } = await upload('the film', { 'content-type': 'video/mp4' })
		expect(ok.data).toMatchObject({ id: assetId, status: 'uploaded' })
		const object = await env.VAULT.get(ok.data.sourceKey)
		expect(await object?.text()).toBe('the film')
		expect(object?.httpMetadata?.contentType).toBe('video/mp4')
		expect(await source()).toMatchObject({ source_etag: object?.etag, source_size_bytes: 8 })
		expect(await uploadedEvents()).toHaveLength(1)
	})

	const MIB = 1024 ** 2
	test.each([
		['one byte', 1],
		['one byte less than a part', 5 * MIB - 1],
		['exactly one part', 5 * MIB],
		['one byte more than a part', 5 * MIB + 1],
		['exactly two parts', 10 * MIB],
		['four parts and a half', 22.5 * MIB],
	])('a direct upload stores %s unchanged', async (_, size) => {
		const bytes = new Uint8Array(size)
		for (let i = 0; i < size; i += 977) bytes[i] = i % 251
		const digest = async (data: ArrayBuffer | Uint8Array<ArrayBuffer>) =>
			new Uint8Array(await crypto.subtle.digest('SHA-256', data)).toString()
		const { ok } = await upload(bytes, { 'content-length': String(size) })
		const object = await env.VAULT.get(ok.data.sourceKey)
		expect(object?.size).toBe(size)
		expect(await digest((await object?.arrayBuffer()) as ArrayBuffer)).toBe(await digest(bytes))
	})

	test('a direct upload stores nothing of an empty, truncated or oversized body', async () => {
		const empty = await upload('')
		expect([empty.status, empty.code]).toEqual([400, 'malformed'])
		const short = await upload('the fi', { 'content-length': '8' })
		expect([short.status, short.code]).toEqual([400, 'malformed'])
		const cut = new Uint8Array(9 * MIB)
		expect((await upload(cut, { 'content-length': String(10 * MIB) })).status).toBe(400)
		const large = await upload('x', { 'content-length': String(MAX_DIRECT_BYTES + 1) })
		expect([large.status, large.code]).toEqual([413, 'too_large'])
		expect(await stored()).toEqual([])
		expect(await status()).toBe('created')
		expect((await upload('the film')).status).toBe(200)
	})

	test('a direct upload stores nothing when the connection breaks', async () => {
		const { readable, writable } = new IdentityTransformStream()
		const writer = writable.getWriter()
		const sent = (async () => {
			for (let i = 0; i < 9; i++) await writer.write(new Uint8Array(MIB))
			await writer.abort(new Error('connection lost'))
		})()
		const answer = await upload(readable)
		await sent
		expect([answer.status, answer.code]).toEqual([400, 'malformed'])
		expect(await stored()).toEqual([])
		expect(await status()).toBe('created')
	})

	test('a direct upload is swept after a day if the Worker crashed before the asset received it', async () => {
		await world.deps((d) =>
			d.db.all("create trigger crash before update on assets begin select raise(abort, 'crashed'); end"),
		)
		const vault = env.VAULT
		// The cleanup of the request itself fails too.
		world.set({
			VAULT: new Proxy(vault, {
				get(target, name) {
					if (name === 'delete') return () => Promise.reject(new Error('crashed'))
					const value = Reflect.get(target, name)
					return typeof value === 'function' ? value.bind(target) : value
				},
			}) as unknown as string,
		})
		expect((await upload('the film')).status).toBe(500)
		expect(await stored()).toHaveLength(1)
		world.set({ VAULT: vault as unknown as string })
		await world.deps((d) => d.db.all('drop trigger crash'))
		const second = await upload('the film again')
		await world.cron('* * * * *')
		await world.deliver()
		expect(await stored()).toHaveLength(2)
		world.pass(86_400_000)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await stored()).toEqual([[second.ok.data.sourceKey, 14]])
	})

	test('a direct upload is rejected when there is a source; of concurrent uploads, one is kept', async () => {
		const answers = await Promise.all(['one', 'two', 'three'].map((text) => upload(text)))
		expect(answers.map((a) => a.status).toSorted()).toEqual([200, 409, 409])
		const winner = answers.find((a) => a.status === 200)
		expect(await stored()).toEqual([[winner?.ok.data.sourceKey, expect.any(Number)]])
		expect((await upload('four')).status).toBe(409)
		expect(await uploadedEvents()).toHaveLength(1)
	})

	test('a direct upload returns 404 and stores nothing if the asset is deleted meanwhile', async () => {
		const { readable, writable } = new IdentityTransformStream()
		const writer = writable.getWriter()
		const answer = upload(readable)
		await writer.write(new Uint8Array(9 * MIB))
		await world.ask(deleteAsset, { params: params() }, ada)
		await writer.close()
		expect([(await answer).status, (await answer).code]).toEqual([404, 'not_found'])
		expect(await stored()).toEqual([])
	})
})

describe('an import', () => {
	const ask = (sourceUrl: unknown) =>
		world.ask(importSource, { params: params(), body: { sourceUrl: sourceUrl as string } }, ada)

	test('an import records the normalized URL without its fragment', async () => {
		const { ok } = await ask('https://EXAMPLE.org/film.mp4?token=x#t=5')
		expect(ok.data).toEqual({ id: assetId, status: 'uploaded' })
		expect(await source()).toMatchObject({
			source_url: 'https://example.org/film.mp4?token=x',
			source_key: null,
		})
		expect((await ask('https://example.org/other.mp4')).status).toBe(409)
		expect(await uploadedEvents()).toHaveLength(1)
	})

	test.each([
		['', /sourceUrl/],
		['film.mp4', /complete URL/],
		['ftp://example.org/film.mp4', /https/],
		['https://127.0.0.1/film.mp4', /public host/],
		['https://user:pass@example.org/', /user name/],
		['https://example.org:25/', /port/],
		[`https://example.org/${'x'.repeat(2_048)}`, /sourceUrl/],
		[null, /sourceUrl/],
	])('an import rejects "%s" with a clear message', async (url, message) => {
		const answer = await ask(url)
		expect(answer.status).toBe(400)
		expect(answer.error).toMatch(message)
		expect(await status()).toBe('created')
	})
})

test('uploads of another organization return 404 and store nothing', async () => {
	const bo = await world.person()
	const answers = [
		await world.ask(createUploadUrl, { params: params() }, bo),
		await world.ask(createUploadToken, { params: params(), body: { fileSize: 1 } }, bo),
		await world.ask(uploadSource, { params: params() }, { ...bo, bytes: 'theirs' }),
		await complete(bo),
		await world.ask(importSource, { params: params(), body: { sourceUrl: 'https://example.org/' } }, bo),
	]
	expect(answers.map((a) => a.status)).toEqual([404, 404, 404, 404, 404])
	expect(await stored()).toEqual([])
	expect(await status()).toBe('created')
})

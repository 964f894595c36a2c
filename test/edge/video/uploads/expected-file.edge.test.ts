/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { completeUpload, createUploadUrl } from '#schema/contract/video/uploads.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { digestBase64 } from './tus/tus-fixture.ts'

let world: World
let ada: Person
let params: { assetId: string }
let sourceKey: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	params = { assetId: (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id }
	sourceKey = (await world.ask(createUploadUrl, { params }, ada)).ok.data.sourceKey
})

type Expected = { fileSize?: number; checksum?: { algorithm: 'md5' | 'sha256'; digest: string } }

const film = new TextEncoder().encode('the film')
const complete = (body: Expected) => world.ask(completeUpload, { params, body }, ada)
/** Stores what a real S3 stores that ignores `Content-Range`: the last chunk. */
const store = (bytes: Uint8Array, options: R2PutOptions = {}) =>
	world.bindings.VAULT.put(sourceKey, bytes, options)
const hex = (base64: string) => Array.from(atob(base64), (c) => c.charCodeAt(0).toString(16).padStart(2, '0'))
const asset = async () => (await world.ask(getAsset, { params }, ada)).ok.data

describe('upload-complete', () => {
	test('upload-complete rejects a part of the file as the source, and accepts the file after it', async () => {
		await store(film.slice(5))
		const part = await complete({ fileSize: 8 })
		expect([part.status, part.code, part.error]).toEqual([
			409,
			'conflict',
			'the stored file has 3 bytes, not 8; PUT the whole file again',
		])
		expect(await asset()).toMatchObject({ status: 'created', sourceSizeBytes: null })
		await store(film)
		expect((await complete({ fileSize: 8 })).ok.data.sourceSizeBytes).toBe(8)
		expect(await asset()).toMatchObject({ status: 'uploaded', sourceSizeBytes: 8 })
	})

	test.each(['md5', 'sha256'] as const)(
		'upload-complete compares the %s digest that the store knows',
		async (algorithm) => {
			const digest = await digestBase64(film, algorithm === 'md5' ? 'MD5' : 'SHA-256')
			await store(film, algorithm === 'sha256' ? { sha256: await crypto.subtle.digest('SHA-256', film) } : {})
			const other = btoa(atob(digest).replace(/^./s, (c) => String.fromCharCode(c.charCodeAt(0) ^ 1)))
			const wrong = await complete({ checksum: { algorithm, digest: other } })
			expect([wrong.status, wrong.error]).toEqual([
				409,
				'the checksum of the stored file differs; PUT the file again',
			])
			expect((await asset()).status).toBe('created')
			expect(
				(await complete({ checksum: { algorithm, digest: hex(digest).join('').toUpperCase() } })).status,
			).toBe(200)
		},
	)

	test('upload-complete accepts a digest in Base64', async () => {
		await store(film)
		const digest = await digestBase64(film, 'MD5')
		expect((await complete({ checksum: { algorithm: 'md5', digest } })).status).toBe(200)
	})

	test('upload-complete rejects a checksum that the store does not know, and records no source', async () => {
		await store(film)
		const answer = await complete({ checksum: { algorithm: 'sha256', digest: await digestBase64(film) } })
		expect([answer.status, answer.code]).toEqual([422, 'unprocessable'])
		expect((await asset()).status).toBe('created')
	})

	test.each([
		{ fileSize: 0 },
		{ fileSize: 1.5 },
		{ checksum: { algorithm: 'crc32' as never, digest: 'AAAAAA==' } },
		{ checksum: { algorithm: 'md5' as const, digest: 'no digest' } },
		{ checksum: { algorithm: 'sha256' as const, digest: 'd41d8cd98f00b204e9800998ecf8427e' } },
	])('upload-complete rejects %j', async (body) => {
		await store(film)
		expect((await complete(body)).status).toBe(400)
		expect((await asset()).status).toBe('created')
	})
})

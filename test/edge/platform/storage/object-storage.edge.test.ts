/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Bindings, MisconfiguredError, parseEnv } from '../../../../edge/platform/env.ts'
import { type ObjectStorage, openObjectStorage } from '../../../../edge/platform/storage/object-storage.ts'
import {
	StorageNotConfiguredError,
	StorageRefusal,
} from '../../../../edge/platform/storage/storage-errors.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { emptyRuntime } from '../../../support/edge/empty-runtime.ts'

const NOW = Date.UTC(2037, 10, 21, 12)
const s3 = {
	S3_ENDPOINT: 'https://account.r2.example.com/',
	S3_ACCESS_KEY_ID: 'id',
	S3_SECRET_ACCESS_KEY: 'secret',
	VAULT_BUCKET: 'my-vault',
}

function open(vars: Record<string, string> = {}, origin: string | null = 'https://edge.test'): ObjectStorage {
	const parsed = parseEnv({ ...env, ...vars } as unknown as Bindings)
	return openObjectStorage(
		parsed,
		parsed.vars.AUTH_SECRET ? deriveSecrets(parsed.vars.AUTH_SECRET) : null,
		origin,
		NOW,
	)
}

let storage: ObjectStorage
beforeEach(async () => {
	await emptyRuntime()
	storage = open()
})

const textOf = async (answer: Awaited<ReturnType<ObjectStorage['vault']['get']>>) =>
	answer.state === 'found' ? new Response(answer.body).text() : answer.state

describe('a bucket', () => {
	it('a bucket returns stored objects with their labels', async () => {
		const put = await storage.vault.put('a', 'hello', {
			contentType: 'text/plain',
			cacheControl: 'no-cache',
			contentDisposition: 'inline',
		})
		expect(put).toMatchObject({
			key: 'a',
			sizeBytes: 5,
			contentType: 'text/plain',
			cacheControl: 'no-cache',
			contentDisposition: 'inline',
		})
		expect(await storage.vault.head('a')).toEqual(put)
		const got = await storage.vault.get('a')
		expect(got).toMatchObject({ state: 'found', object: put, range: { offset: 0, length: 5 } })
		expect(await textOf(got)).toBe('hello')
		expect(await storage.media.head('a')).toBeNull()
		expect(await storage.vault.head('b')).toBeNull()
		expect(await storage.vault.get('b')).toEqual({ state: 'missing' })
		expect(await storage.vault.get('b', { range: { offset: 1 } })).toEqual({ state: 'missing' })
	})

	it('a bucket accepts streams of known length', async () => {
		const { readable, writable } = new FixedLengthStream(5)
		const [object] = await Promise.all([
			storage.vault.put('a', readable),
			new Blob(['hello']).stream().pipeTo(writable),
		])
		expect(object?.sizeBytes).toBe(5)
	})

	it('a bucket writes conditionally: only if no object exists, or only over a certain version', async () => {
		const first = await storage.vault.put('a', '1', { onlyIf: 'absent' })
		expect(first?.sizeBytes).toBe(1)
		expect(await storage.vault.put('a', '22', { onlyIf: 'absent' })).toBeNull()
		expect(await storage.vault.put('a', '22', { onlyIf: { etag: 'x' } })).toBeNull()
		expect(await textOf(await storage.vault.get('a'))).toBe('1')
		expect(await storage.vault.put('a', '22', { onlyIf: { etag: first?.etag ?? '' } })).toMatchObject({
			sizeBytes: 2,
		})
	})

	it('a bucket reads ranges and returns their position', async () => {
		await storage.vault.put('a', '0123456789')
		const read = async (range: { offset: number; length?: number } | { suffix: number }) => {
			const answer = await storage.vault.get('a', { range })
			return [await textOf(answer), answer.state === 'found' && answer.range]
		}
		expect(await read({ offset: 2, length: 3 })).toEqual(['234', { offset: 2, length: 3 }])
		expect(await read({ offset: 7 })).toEqual(['789', { offset: 7, length: 3 }])
		expect(await read({ offset: 7, length: 99 })).toEqual(['789', { offset: 7, length: 3 }])
		expect(await read({ suffix: 4 })).toEqual(['6789', { offset: 6, length: 4 }])
		expect(await read({ suffix: 40 })).toEqual(['0123456789', { offset: 0, length: 10 }])
		for (const range of [{ offset: 10 }, { offset: 10, length: 1 }, { suffix: 0 }])
			expect(await storage.vault.get('a', { range })).toMatchObject({
				state: 'range-unsatisfiable',
				object: { sizeBytes: 10 },
			})
	})

	it('a bucket reads conditionally: only a certain version, or any other one', async () => {
		const { etag = '' } = (await storage.vault.put('a', 'x')) ?? {}
		const read = async (onlyIf: { etag: string } | { otherThan: string }) =>
			(await storage.vault.get('a', { onlyIf })).state
		expect(await read({ etag })).toBe('found')
		expect(await read({ etag: 'x' })).toBe('condition-failed')
		expect(await read({ otherThan: etag })).toBe('condition-failed')
		expect(await read({ otherThan: 'x' })).toBe('found')
	})

	it('a bucket deletes more objects than R2 allows per call, and ignores missing ones', async () => {
		const calls: number[] = []
		const VAULT = { delete: async (keys: string[]) => void calls.push(keys.length) }
		await open({ VAULT } as never).vault.delete(Array.from({ length: 2_500 }, (_, i) => `k${i}`))
		expect(calls).toEqual([1_000, 1_000, 500])
		await storage.vault.put('a', 'x')
		await storage.vault.delete(['a', 'never-was'])
		await storage.vault.delete('never-was')
		await storage.vault.delete([])
		expect(await storage.vault.head('a')).toBeNull()
	})

	it('a bucket lists objects by prefix in pages', async () => {
		for (const key of ['a/1', 'a/2', 'a/3', 'b/1']) await storage.vault.put(key, key)
		const first = await storage.vault.list('a/', null, 2)
		expect(first.objects.map(({ key, sizeBytes }) => [key, sizeBytes])).toEqual([
			['a/1', 3],
			['a/2', 3],
		])
		const second = await storage.vault.list('a/', first.cursor, 2)
		expect([second.objects.map(({ key }) => key), second.cursor]).toEqual([['a/3'], null])
	})

	it('a bucket completes an upload with parts in any order, and reports why a call fails', async () => {
		const size = 5 * 1024 ** 2
		const { uploadId } = await storage.vault.createMultipart('a', { contentType: 'video/mp4' })
		const two = await storage.vault.uploadPart('a', uploadId, 2, 'end')
		const one = await storage.vault.uploadPart('a', uploadId, 1, new Uint8Array(size))
		expect(await storage.vault.completeMultipart('a', uploadId, [two, one])).toMatchObject({
			sizeBytes: size + 3,
			contentType: 'video/mp4',
		})
		await expect(storage.vault.uploadPart('a', uploadId, 3, 'x')).rejects.toMatchObject({
			reason: 'no-such-upload',
		})
		const aborted = await storage.vault.createMultipart('b')
		await storage.vault.abortMultipart('b', aborted.uploadId)
		await storage.vault.abortMultipart('b', aborted.uploadId)
		await expect(storage.vault.completeMultipart('b', aborted.uploadId, [])).rejects.toThrow(StorageRefusal)
		await expect(storage.vault.put('k'.repeat(1_025), 'x')).rejects.toMatchObject({ reason: 'invalid-key' })
	})
})

describe('a presigned URL', () => {
	it('a presigned URL points to the object store if S3 credentials are set', async () => {
		const { url, headers } = await open(s3).presign({
			bucket: 'vault',
			key: 'a b/ü.mp4',
			method: 'PUT',
			expiresSeconds: 900,
			contentType: 'video/mp4',
			writeOnce: true,
		})
		const { origin, pathname, searchParams } = new URL(url)
		expect([origin, pathname]).toEqual(['https://account.r2.example.com', '/my-vault/a%20b/%C3%BC.mp4'])
		expect(headers).toEqual({ 'content-type': 'video/mp4', 'if-none-match': '*' })
		expect(Object.fromEntries(searchParams)).toMatchObject({
			'X-Amz-Credential': 'id/20371121/auto/s3/aws4_request',
			'X-Amz-Date': '20371121T120000Z',
			'X-Amz-Expires': '900',
			'X-Amz-SignedHeaders': 'content-type;host;if-none-match',
			'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
		})
	})

	it('a presigned URL points to our S3 API otherwise, at PUBLIC_URL or the origin of the request', async () => {
		const get = { bucket: 'media', key: 'a', method: 'GET', expiresSeconds: 60 } as const
		expect((await open().presign(get)).url).toMatch(/^https:\/\/edge\.test\/s3\/media\/a\?/)
		expect((await open({ PUBLIC_URL: 'https://v.example/' }).presign(get)).url).toMatch(
			/^https:\/\/v\.example\/s3\/media\/a\?/,
		)
		expect((await open({ PUBLIC_URL: 'https://v.example' }, null).presign(get)).url).toMatch(
			/^https:\/\/v\.example\/s3\//,
		)
	})

	it('a presigned URL contains the part of an upload', async () => {
		const { url } = await storage.presignPart({
			bucket: 'vault',
			key: 'a',
			uploadId: 'u+/=',
			partNumber: 7,
			expiresSeconds: 60,
		})
		expect(new URL(url).searchParams.get('uploadId')).toBe('u+/=')
		expect(new URL(url).searchParams.get('partNumber')).toBe('7')
	})

	it('a presigned URL needs a secret and a base URL, but buckets work without them', async () => {
		const get = { bucket: 'media', key: 'a', method: 'GET', expiresSeconds: 60 } as const
		for (const unsigned of [open({ AUTH_SECRET: '' }), open({}, null)]) {
			await expect(unsigned.presign(get)).rejects.toThrow(StorageNotConfiguredError)
			await expect(unsigned.presignPart({ ...get, uploadId: 'u', partNumber: 1 })).rejects.toMatchObject({
				code: 'not_configured',
			})
			expect(await unsigned.media.put('a', 'x')).not.toBeNull()
		}
		expect((await open({ ...s3, AUTH_SECRET: '' }, null).presign(get)).url).toContain(
			'account.r2.example.com',
		)
		const { S3_SECRET_ACCESS_KEY: _, ...half } = s3
		expect(() => open(half)).toThrow(MisconfiguredError)
	})

	it('a presigned URL rejects header values that are not printable ASCII', async () => {
		const put = { bucket: 'media', key: 'a', method: 'PUT', expiresSeconds: 60 } as const
		await expect(storage.presign({ ...put, contentType: 'a\r\nb: c' })).rejects.toThrow(RangeError)
		await expect(
			storage.presign({ ...put, responseContentDisposition: 'attachment; filename="ü"' }),
		).rejects.toThrow(RangeError)
	})
})

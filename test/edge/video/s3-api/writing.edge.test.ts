import { beforeEach, describe, expect, it } from 'vitest'
import { ORIGIN, openS3Client, readErrorCode, type S3Client } from './s3-client.ts'

let client: S3Client
beforeEach(async () => {
	client = await openS3Client()
})

const put = (url: string, body: string, headers: Record<string, string> = {}) =>
	client.open(url, { method: 'PUT', body, headers: { 'content-length': String(body.length), ...headers } })

const stored = async (key: string, bucket: 'vault' | 'media' = 'vault') => {
	const object = await client.storage[bucket].get(key)
	return object.state === 'found' ? new Response(object.body).text() : null
}

describe('writing through the S3 API', () => {
	it('the S3 API stores the bytes under exactly the signed key, in the signed bucket', async () => {
		const keys = [
			'a b',
			'a+b',
			"it's (1)!*.mp4",
			'100%',
			'%2e%2e',
			'x//y',
			'ünï/漢字/😀',
			'a\\b?c#d',
			'/lead',
			'tail/',
			'a&b=c;d',
		]
		for (const key of keys) {
			const { url } = await client.presign({ method: 'PUT', key, bucket: 'media' })
			expect((await put(url, `body of ${key}`.replaceAll(/[^\x20-\x7e]/g, '_'))).status).toBe(200)
		}
		const { objects } = await client.storage.media.list('')
		expect(objects.map(({ key }) => key).sort()).toEqual(keys.toSorted())
		expect(await stored('a b')).toBeNull()
		for (const key of keys) {
			const { url } = await client.presign({ method: 'GET', key, bucket: 'media' })
			expect(await (await client.open(url)).text()).toBe(`body of ${key}`.replaceAll(/[^\x20-\x7e]/g, '_'))
		}
	})

	it('the S3 API returns the etag and keeps content-type, cache-control and content-disposition', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		const response = await put(url, 'film', {
			'content-type': 'video/mp4',
			'cache-control': 'max-age=60',
			'content-disposition': 'inline',
		})
		const head = await client.storage.vault.head('film.mp4')
		expect(head).toMatchObject({
			contentType: 'video/mp4',
			cacheControl: 'max-age=60',
			contentDisposition: 'inline',
			sizeBytes: 4,
		})
		expect([response.status, response.headers.get('etag')]).toEqual([200, `"${head?.etag}"`])
		const read = await client.send('GET', 'film.mp4')
		expect([read.headers.get('cache-control'), read.headers.get('content-disposition')]).toEqual([
			'max-age=60',
			'inline',
		])
	})

	it('the S3 API stores an empty object', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		expect((await client.open(url, { method: 'PUT', headers: { 'content-length': '0' } })).status).toBe(200)
		expect(await stored('film.mp4')).toBe('')
	})

	it('the S3 API rejects a content-type other than the signed one', async () => {
		const { url, headers } = await client.presign({ method: 'PUT', contentType: 'video/mp4' })
		expect(headers).toEqual({ 'content-type': 'video/mp4' })
		expect(await readErrorCode(await put(url, 'film', { 'content-type': 'text/html' }))).toBe(
			'SignatureDoesNotMatch',
		)
		const bare = new Uint8Array([1])
		expect(
			await readErrorCode(
				await client.open(url, { method: 'PUT', body: bare, headers: { 'content-length': '1' } }),
			),
		).toBe('AccessDenied')
		expect(await stored('film.mp4')).toBeNull()
		expect((await put(url, 'film', headers)).status).toBe(200)
	})

	it('the S3 API allows one write to a write-once URL', async () => {
		const { url, headers } = await client.presign({ method: 'PUT', writeOnce: true })
		expect(headers).toEqual({ 'if-none-match': '*' })
		expect(await readErrorCode(await put(url, 'early'))).toBe('AccessDenied')
		expect(await readErrorCode(await put(url, 'early', { 'if-none-match': '"x"' }))).toBe(
			'SignatureDoesNotMatch',
		)
		expect((await put(url, 'first', headers)).status).toBe(200)
		const again = await put(url, 'second', headers)
		expect([again.status, await readErrorCode(again)]).toEqual([412, 'PreconditionFailed'])
		expect(await stored('film.mp4')).toBe('first')
	})

	it('the S3 API accepts one of several concurrent writes to a write-once URL', async () => {
		const { url, headers } = await client.presign({ method: 'PUT', writeOnce: true })
		const statuses = await Promise.all(
			Array.from({ length: 8 }, async (_, i) => (await put(url, `writer ${i}`, headers)).status),
		)
		expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
		expect(await stored('film.mp4')).toBe(`writer ${statuses.indexOf(200)}`)
	})

	it('the S3 API overwrites an object unless if-match names another version', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		const etag = (await put(url, 'first')).headers.get('etag') as string
		expect((await put(url, 'second', { 'if-match': etag })).status).toBe(200)
		expect((await put(url, 'third', { 'if-match': etag })).status).toBe(412)
		expect((await put(url, 'third', { 'if-none-match': etag })).status).toBe(501)
		expect((await put(url, 'third', { 'if-match': '"a", "b"' })).status).toBe(501)
		expect(await stored('film.mp4')).toBe('second')
	})

	it('the S3 API requires a content-length within the limit of R2 for a single write', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		const sendWithLength = async (length: string | null) => {
			const response = await client.open(url, {
				method: 'PUT',
				body: 'x',
				headers: length === null ? {} : { 'content-length': length },
			})
			return [response.status, await readErrorCode(response)]
		}
		expect(await sendWithLength(null)).toEqual([411, 'MissingContentLength'])
		expect(await sendWithLength('some')).toEqual([411, 'MissingContentLength'])
		expect(await sendWithLength('5363466241')).toEqual([413, 'EntityTooLarge'])
		expect(await stored('film.mp4')).toBeNull()
	})

	it('the S3 API rejects encoded bodies and keys that are too long for R2', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		expect((await put(url, 'x', { 'content-encoding': 'gzip' })).status).toBe(501)
		expect((await put(url, 'x', { 'content-encoding': 'aws-chunked' })).status).toBe(501)
		const { url: long } = await client.presign({ method: 'PUT', key: 'k'.repeat(1025) })
		expect(await readErrorCode(await put(long, 'x'))).toBe('KeyTooLongError')
	})

	it('the S3 API streams a body of 64 MiB without buffering more than a few chunks', async () => {
		const CHUNK = 64 * 1024
		const TOTAL = 64 * 1024 ** 2
		let pulled = 0
		let taken = 0
		let mostHeld = 0
		// This slow bucket measures how much is buffered before it pulls the next chunk.
		const VAULT = {
			async put(key: string, body: ReadableStream<Uint8Array>) {
				for await (const chunk of body) {
					taken += chunk.byteLength
					await Promise.resolve()
					mostHeld = Math.max(mostHeld, pulled - taken)
				}
				const checksums = { toJSON: () => ({}) }
				return { key, size: taken, etag: 'e', uploaded: new Date(), checksums, httpMetadata: {} }
			},
		}
		const slow = await openS3Client({ VAULT })
		const { url } = await slow.presign({ method: 'PUT' })
		const source = new ReadableStream<Uint8Array>({
			pull(controller) {
				if (pulled === TOTAL) return controller.close()
				pulled += CHUNK
				controller.enqueue(new Uint8Array(CHUNK))
			},
		})
		const response = await slow.open(url, {
			method: 'PUT',
			body: source,
			headers: { 'content-length': String(TOTAL) },
		})
		expect([response.status, taken, pulled]).toEqual([200, TOTAL, TOTAL])
		expect(mostHeld).toBeLessThanOrEqual(4 * CHUNK)
	})
})

describe('content-md5', () => {
	const md5 = 'rL0Y20zC+Fzt72VPzMSk2A=='

	it('content-md5 stores the object only if its digest matches', async () => {
		expect((await client.send('PUT', 'x', {}, { 'content-md5': md5 }, 'bar')).status).toBe(400)
		expect(await stored('x')).toBeNull()
		expect((await client.send('PUT', 'x', {}, { 'content-md5': md5 }, 'foo')).status).toBe(200)
		expect((await client.storage.vault.head('x'))?.digests.md5).toBe('acbd18db4cc2f85cedef654fccc4a4d8')
	})

	it.each([
		['without a digest', {}, {}, 'foo', 400],
		['for a part of a multipart upload', { partNumber: '1', uploadId: 'x' }, {}, md5, 501],
		['for a chunk', {}, { 'content-range': 'bytes 0-2/10' }, md5, 501],
	])('content-md5 is rejected %s', async (_, query, headers, digest, status) => {
		const sent = { 'content-md5': digest, ...headers }
		expect((await client.send('PUT', 'x', query, sent, 'foo')).status).toBe(status)
		expect(await stored('x')).toBeNull()
	})
})

describe('a part of a body', () => {
	const range = { 'content-range': 'bytes 0-4/10' }

	it.each([
		['an object of another kind', 'PUT', 'films/1.mp4', {}],
		['the source of a resumable upload', 'PUT', 'sources/ast_1/resumable-1', {}],
		['a part of a multipart upload', 'PUT', 'sources/ast_1/source', { partNumber: '1', uploadId: 'x' }],
		['a list of parts', 'POST', 'sources/ast_1/source', { uploadId: 'x' }],
	])('a part of a body is rejected as %s', async (_, method, key, query: Record<string, string>) => {
		const response = await client.send(method, key, query, range, 'part.')
		expect(response.status).toBe(400)
		expect(await response.text()).toMatch(/<Code>InvalidRequest<.*TUS/)
		expect(await client.storage.vault.head(key)).toBeNull()
	})

	it('a part of a body is rejected without a length', async () => {
		const { url } = await client.sign('PUT', 'sources/ast_1/source')
		const response = await client.open(url, { method: 'PUT', body: 'part.', headers: range })
		expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Content-Length')])
	})

	it('a part of a body is rejected for the media bucket', async () => {
		const { url } = await client.sign('PUT', 'sources/ast_1/source', {}, {}, 'media')
		const response = await client.open(url, {
			method: 'PUT',
			body: 'part.',
			headers: { ...range, 'content-length': '5' },
		})
		expect(response.status).toBe(400)
	})

	it('pages of other origins may send parts of a body, and read what is stored', async () => {
		const preflight = await client.open(`${ORIGIN}/s3/vault/x`, {
			method: 'OPTIONS',
			headers: { 'access-control-request-headers': 'content-range,content-type' },
		})
		expect(preflight.headers.get('access-control-allow-headers')).toContain('content-range')
		const refused = await client.send('PUT', 'x', {}, range, 'part.')
		expect(refused.headers.get('access-control-expose-headers')).toMatch(/\bRange, /)
	})
})

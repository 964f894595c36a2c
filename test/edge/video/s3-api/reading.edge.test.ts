/** @module-tag d1 */
import { beforeEach, describe, expect, it } from 'vitest'
import { openS3Client, readErrorCode, type S3Client } from './s3-client.ts'

const TEXT = '0123456789'
let client: S3Client
beforeEach(async () => {
	client = await openS3Client()
	await client.storage.vault.put('film.mp4', TEXT, { contentType: 'video/mp4' })
})

const get = (headers: Record<string, string> = {}, key = 'film.mp4') => client.send('GET', key, {}, headers)

describe('reading through the S3 API', () => {
	it('the S3 API returns the whole object with its headers', async () => {
		const response = await get()
		expect(response.status).toBe(200)
		expect(Object.fromEntries(response.headers)).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': '10',
			'accept-ranges': 'bytes',
			'cache-control': 'private, no-cache',
			etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
			'last-modified': expect.stringMatching(/ GMT$/),
			'x-content-type-options': 'nosniff',
			'content-security-policy': "sandbox; default-src 'none'; media-src 'self'",
			'access-control-allow-origin': '*',
			'access-control-expose-headers': expect.stringMatching(
				/ETag.*Content-Range.*Content-Length.*Accept-Ranges/,
			),
		})
		expect(await response.text()).toBe(TEXT)
	})

	it.each([
		['bytes=0-3', '0123', 'bytes 0-3/10'],
		['bytes=4-', '456789', 'bytes 4-9/10'],
		['bytes=0-', TEXT, 'bytes 0-9/10'],
		['bytes=8-99', '89', 'bytes 8-9/10'],
		['bytes=9-9', '9', 'bytes 9-9/10'],
		['bytes=-3', '789', 'bytes 7-9/10'],
		['bytes=-99', TEXT, 'bytes 0-9/10'],
		['bytes=2-99999999999999999999', '23456789', 'bytes 2-9/10'],
	])('the S3 API returns the range %s', async (range, text, contentRange) => {
		const response = await get({ range })
		expect(response.status).toBe(206)
		expect(response.headers.get('content-range')).toBe(contentRange)
		expect(response.headers.get('content-length')).toBe(String(text.length))
		expect(await response.text()).toBe(text)
	})

	it.each(['bytes=5-2', 'bytes=a-b', 'bytes=-', 'items=0-1', 'bytes=0-1,4-5', 'nonsense'])(
		'the S3 API ignores an unsupported range and returns the whole object: %s',
		async (range) => {
			const response = await get({ range })
			expect([response.status, await response.text()]).toEqual([200, TEXT])
		},
	)

	it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999-'])(
		'the S3 API returns 416 for a range that contains no byte: %s',
		async (range) => {
			const response = await get({ range })
			expect([response.status, response.headers.get('content-range'), await readErrorCode(response)]).toEqual(
				[416, 'bytes */10', 'InvalidRange'],
			)
		},
	)

	it('the S3 API returns 416 for any range of an empty object, and 200 without a range', async () => {
		await client.storage.vault.put('empty', '')
		expect((await get({ range: 'bytes=0-' }, 'empty')).status).toBe(416)
		const response = await get({}, 'empty')
		expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
			200,
			'0',
			'',
		])
	})

	it('the S3 API returns 304 for an unchanged object and 412 for a failed precondition', async () => {
		const { headers } = await get()
		const etag = headers.get('etag') as string
		const date = headers.get('last-modified') as string
		const before = new Date(Date.parse(date) - 1000).toUTCString()
		const status = async (conditions: Record<string, string>) => (await get(conditions)).status
		expect(await status({ 'if-none-match': etag })).toBe(304)
		expect(await status({ 'if-none-match': `"x", W/${etag}` })).toBe(304)
		expect(await status({ 'if-none-match': '*' })).toBe(304)
		expect(await status({ 'if-none-match': '"x"' })).toBe(200)
		expect(await status({ 'if-none-match': '"x"', 'if-modified-since': date })).toBe(200)
		expect(await status({ 'if-modified-since': date })).toBe(304)
		expect(await status({ 'if-modified-since': before })).toBe(200)
		expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200)
		expect(await status({ 'if-match': etag })).toBe(200)
		expect(await status({ 'if-match': '"x"' })).toBe(412)
		expect(await status({ 'if-match': `W/${etag}` })).toBe(412)
		expect(await status({ 'if-unmodified-since': before })).toBe(412)
		expect(await status({ 'if-unmodified-since': date })).toBe(200)
		expect(await status({ 'if-match': '"x"', 'if-none-match': etag, range: 'bytes=99-' })).toBe(412)
		expect(await status({ 'if-none-match': etag, range: 'bytes=99-' })).toBe(304)
		const unchanged = await get({ 'if-none-match': etag })
		expect([unchanged.body, unchanged.headers.get('etag'), unchanged.headers.get('content-type')]).toEqual([
			null,
			etag,
			null,
		])
	})

	it('the S3 API returns a range only while If-Range matches the object', async () => {
		const etag = (await get()).headers.get('etag') as string
		const date = (await get()).headers.get('last-modified') as string
		const read = async (ifRange: string) => {
			const response = await get({ range: 'bytes=5-', 'if-range': ifRange })
			return [response.status, await response.text()]
		}
		expect(await read(etag)).toEqual([206, '56789'])
		expect(await read('"other"')).toEqual([200, TEXT])
		expect(await read(`W/${etag}`)).toEqual([200, TEXT])
		expect(await read(date)).toEqual([200, TEXT])
	})

	it('the S3 API answers HEAD like GET without the body, and only for a URL signed for HEAD', async () => {
		const response = await client.send('HEAD', 'film.mp4')
		expect([response.status, response.headers.get('content-length'), response.body]).toEqual([
			200,
			'10',
			null,
		])
		expect(response.headers.get('etag')).toBe((await get()).headers.get('etag'))
		const missing = await client.send('HEAD', 'nothing')
		expect([missing.status, missing.body]).toEqual([404, null])
		const { url } = await client.presign({ method: 'GET' })
		expect((await client.open(url, { method: 'HEAD' })).status).toBe(403)
	})

	it('the S3 API returns the file name and content type of the signed URL', async () => {
		const responseContentDisposition = 'attachment; filename="a + b.mp4"; filename*=UTF-8\'\'%C3%BC.mp4'
		const { url } = await client.presign({
			method: 'GET',
			responseContentDisposition,
			responseContentType: 'text/plain',
		})
		expect(url).not.toContain('+')
		const response = await client.open(url)
		expect(response.headers.get('content-disposition')).toBe(responseContentDisposition)
		expect(response.headers.get('content-type')).toBe('text/plain')
		const tampered = url.replace('attachment', 'inline')
		expect((await client.open(tampered)).status).toBe(403)
		const { url: bad } = await client.sign('GET', 'film.mp4', {
			'response-content-disposition': 'a\r\nset-cookie: b',
		})
		expect((await client.open(bad)).status).toBe(400)
	})

	it('the S3 API returns 404 for a missing object', async () => {
		const response = await get({}, 'nothing')
		expect([response.status, response.headers.get('content-type'), await readErrorCode(response)]).toEqual([
			404,
			'application/xml',
			'NoSuchKey',
		])
		const { url } = await client.presign({ method: 'GET' })
		expect(await readErrorCode(await client.open(url.replace('/s3/vault/', '/s3/attic/')))).toBe(
			'NoSuchBucket',
		)
		expect((await client.open(url.replace('/s3/vault/', '/s3/media/'))).status).toBe(403)
	})

	it('the S3 API prevents stored HTML from running and from being sniffed', async () => {
		await client.storage.vault.put('page', '<script>alert(1)</script>', { contentType: 'text/html' })
		const response = await get({}, 'page')
		expect(response.headers.get('content-security-policy')).toBe(
			"sandbox; default-src 'none'; media-src 'self'",
		)
		expect(response.headers.get('x-content-type-options')).toBe('nosniff')
	})
})

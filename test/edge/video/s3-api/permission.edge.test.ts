/** @module-tag d1 */
import { beforeEach, describe, expect, it } from 'vitest'
import { NOW, ORIGIN, openS3Client, readErrorCode, type S3Client } from './s3-client.ts'

let client: S3Client
beforeEach(async () => {
	client = await openS3Client()
	await client.storage.vault.put('film.mp4', 'film')
})

const withParameter = (url: string, name: string, value: string | null) => {
	const parsed = new URL(url)
	if (value === null) parsed.searchParams.delete(name)
	else parsed.searchParams.set(name, value)
	return parsed
}

describe('access to the S3 API', () => {
	it('access to the S3 API ends when the URL expires', async () => {
		const { url, expiresAt } = await client.presign({ method: 'GET', expiresSeconds: 60 })
		expect(expiresAt).toBe(NOW + 60_000)
		client.clock.now = NOW + 59_999
		expect((await client.open(url)).status).toBe(200)
		client.clock.now = NOW + 60_000
		const late = await client.open(url)
		expect([late.status, await readErrorCode(late)]).toEqual([403, 'ExpiredRequest'])
	})

	it('the S3 API tolerates a signer whose clock is up to 15 minutes ahead', async () => {
		const { url } = await client.presign({ method: 'GET' })
		client.clock.now = NOW - 15 * 60_000
		expect((await client.open(url)).status).toBe(200)
		client.clock.now--
		expect(await readErrorCode(await client.open(url))).toBe('RequestTimeTooSkewed')
	})

	it('the S3 API accepts only URLs that expire within a week', async () => {
		const { url } = await client.presign({ method: 'GET', expiresSeconds: 604_800 })
		client.clock.now = NOW + 604_799_000
		expect((await client.open(url)).status).toBe(200)
		for (const expiresSeconds of [0, -1, 604_801, 1.5, Number.NaN])
			await expect(client.presign({ method: 'GET', expiresSeconds })).rejects.toThrow(RangeError)
		for (const expires of ['0', '-1', '604801', '1e3', '', '060'])
			expect(await readErrorCode(await client.open(withParameter(url, 'X-Amz-Expires', expires)))).toBe(
				'AuthorizationQueryParametersError',
			)
	})

	it('the S3 API denies access without a signature', async () => {
		for (const path of ['/s3/vault/film.mp4', '/s3/vault/film.mp4?X-Amz-Expires=60', '/s3/vault/nothing'])
			for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
				const response = await client.open(ORIGIN + path, { method })
				expect(response.status).toBe(403)
				if (method !== 'HEAD') expect(await readErrorCode(response)).toBe('AccessDenied')
			}
	})

	it.each([
		['X-Amz-Algorithm', 'AWS4-HMAC-SHA1', 'AuthorizationQueryParametersError'],
		['X-Amz-Algorithm', null, 'AuthorizationQueryParametersError'],
		['X-Amz-Credential', null, 'AuthorizationQueryParametersError'],
		['X-Amz-Credential', 'someone/20371121/auto/s3/aws4_request', 'InvalidAccessKeyId'],
		['X-Amz-Credential', 'playhouse/20371120/auto/s3/aws4_request', 'AuthorizationQueryParametersError'],
		['X-Amz-Credential', 'playhouse/20371121/eu/s3/aws4_request', 'AuthorizationQueryParametersError'],
		['X-Amz-Date', '2037-11-21T12:00:00Z', 'AuthorizationQueryParametersError'],
		['X-Amz-Date', '20371121T129900Z', 'AuthorizationQueryParametersError'],
		['X-Amz-Date', null, 'AuthorizationQueryParametersError'],
		['X-Amz-Expires', null, 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', null, 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', '', 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', 'accept', 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', 'host;host', 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', 'host;accept', 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', 'Host', 'AuthorizationQueryParametersError'],
		['X-Amz-SignedHeaders', 'host;x-wanted', 'AccessDenied'],
		['X-Amz-Signature', '', 'SignatureDoesNotMatch'],
		['X-Amz-Signature', null, 'AccessDenied'],
		['X-Amz-Security-Token', 'token', 'AuthorizationQueryParametersError'],
		['extra', '1', 'SignatureDoesNotMatch'],
	])('the S3 API denies access with %s = %s', async (name, value, code) => {
		const { url } = await client.presign({ method: 'GET' })
		expect(await readErrorCode(await client.open(withParameter(url, name, value)))).toBe(code)
	})

	it('the S3 API denies access for an unsigned x-amz- header', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		const put = (headers: Record<string, string>) =>
			client.open(url, { method: 'PUT', body: 'x', headers: { 'content-length': '1', ...headers } })
		expect(await readErrorCode(await put({ 'x-amz-copy-source': '/vault/other' }))).toBe('AccessDenied')
		expect(await readErrorCode(await put({ 'x-amz-meta-owner': 'me' }))).toBe('AccessDenied')
		expect(await readErrorCode(await put({ 'x-amz-content-sha256': 'a'.repeat(64) }))).toBe('NotImplemented')
		expect((await put({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-other': 'harmless' })).status).toBe(
			200,
		)
		const signed = await client.sign('PUT', 'copy', {}, { 'x-amz-copy-source': '/vault/film.mp4' })
		const copied = await client.open(signed.url, {
			method: 'PUT',
			body: 'x',
			headers: { 'content-length': '1', ...signed.headers },
		})
		expect(await readErrorCode(copied)).toBe('NotImplemented')
	})

	it('the S3 API works behind a proxy that changes the host, because PUBLIC_URL is signed', async () => {
		const proxied = await openS3Client({ PUBLIC_URL: 'https://video.example.org/api/' })
		await proxied.storage.vault.put('film.mp4', 'film')
		const { url } = await proxied.presign({ method: 'GET' })
		expect(url).toMatch(/^https:\/\/video\.example\.org\/api\/s3\/vault\/film\.mp4\?/)
		const inside = url.replace('https://video.example.org/api', 'http://10.0.0.7:8787')
		expect(await (await proxied.open(inside)).text()).toBe('film')
	})

	it('our S3 API is disabled with S3 credentials and without AUTH_SECRET', async () => {
		const { url } = await client.presign({ method: 'GET' })
		const s3 = {
			S3_ENDPOINT: 'https://account.example.com',
			S3_ACCESS_KEY_ID: 'id',
			S3_SECRET_ACCESS_KEY: 'secret',
		}
		for (const vars of [s3, { AUTH_SECRET: '' }]) {
			const closed = await openS3Client(vars)
			expect((await closed.open(url)).status).toBe(404)
			expect((await closed.open(url, { method: 'OPTIONS' })).status).toBe(404)
		}
	})

	it('the S3 API denies access to keys that hide "." or ".." segments', async () => {
		const { url } = await client.presign({ method: 'GET' })
		const at = (path: string) => client.open(url.replace('/s3/vault/film.mp4', path))
		// URL parsers resolve these segments first, so the signed URL is the same.
		expect((await at('/s3/vault/a/../film.mp4')).status).toBe(200)
		expect((await at('/s3/vault/a/%2e%2E/film.mp4')).status).toBe(200)
		expect((await at('/s3/vault/../media/film.mp4')).status).toBe(403)
		expect(await readErrorCode(await at('/s3/vault/a%2F..%2Ffilm.mp4'))).toBe('InvalidURI')
		expect(await readErrorCode(await at('/s3/vault/%ff'))).toBe('InvalidURI')
		expect((await at('/s3/vault//film.mp4')).status).toBe(403)
		expect((await at('/s3/vault/')).status).toBe(501)
		for (const key of ['a/../b', '..', './a', '', '\ud800'])
			await expect(client.presign({ method: 'GET', key })).rejects.toThrow(RangeError)
	})

	it('the S3 API is open to pages of any origin', async () => {
		const { url } = await client.presign({ method: 'PUT' })
		const headers = {
			origin: 'https://elsewhere.example',
			'access-control-request-method': 'PUT',
			'access-control-request-headers': 'content-type,if-none-match',
		}
		const preflight = await client.open(url, { method: 'OPTIONS', headers })
		expect(preflight.status).toBe(204)
		expect(Object.fromEntries(preflight.headers)).toMatchObject({
			'access-control-allow-origin': '*',
			'access-control-allow-methods': expect.stringContaining('PUT'),
			'access-control-allow-headers': 'content-type,if-none-match',
			'access-control-max-age': '86400',
		})
		const denied = await client.open(`${ORIGIN}/s3/vault/film.mp4`)
		expect([denied.status, denied.headers.get('access-control-allow-origin')]).toEqual([403, '*'])
	})

	it('the S3 API returns 501 for unknown operations, even when signed', async () => {
		for (const [method, query] of [
			['PUT', { acl: '' }],
			['GET', { uploadId: 'x' }],
			['DELETE', {}],
			['POST', {}],
			['PATCH', {}],
			['PUT', { partNumber: '1' }],
			['GET', { versionId: '1' }],
		] as const) {
			const response = await client.send(method, 'film.mp4', query, {}, method === 'PUT' ? 'body' : undefined)
			expect([response.status, await readErrorCode(response)]).toEqual([501, 'NotImplemented'])
		}
		expect(await (await client.send('GET', 'film.mp4')).text()).toBe('film')
	})

	it('the S3 API hides the details of internal errors', async () => {
		const broken = await openS3Client({
			VAULT: { get: () => Promise.reject(new Error('disk 7 is on fire')) },
		})
		const response = await broken.send('GET', 'film.mp4')
		expect(response.status).toBe(500)
		expect(await response.text()).not.toContain('disk 7')
		expect(broken.logged.join()).toContain('disk 7 is on fire')
	})
})

import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, type Door, NOW, ORIGIN, openDoor } from './s3-client.ts'

let door: Door
beforeEach(async () => {
	door = await openDoor()
	await door.storage.vault.put('film.mp4', 'film')
})

const changed = (url: string, name: string, value: string | null) => {
	const parsed = new URL(url)
	if (value === null) parsed.searchParams.delete(name)
	else parsed.searchParams.set(name, value)
	return parsed
}

describe('permission', () => {
	it('until the address expires, to the second, and not a second longer', async () => {
		const { url, expiresAt } = await door.presign({ method: 'GET', expiresSeconds: 60 })
		expect(expiresAt).toBe(NOW + 60_000)
		door.clock.now = NOW + 59_999
		expect((await door.open(url)).status).toBe(200)
		door.clock.now = NOW + 60_000
		const late = await door.open(url)
		expect([late.status, await codeOf(late)]).toEqual([403, 'ExpiredRequest'])
	})

	it('for signers whose clock is up to a quarter of an hour ahead', async () => {
		const { url } = await door.presign({ method: 'GET' })
		door.clock.now = NOW - 15 * 60_000
		expect((await door.open(url)).status).toBe(200)
		door.clock.now--
		expect(await codeOf(await door.open(url))).toBe('RequestTimeTooSkewed')
	})

	it('rejects URLs that expire after more than a week', async () => {
		const { url } = await door.presign({ method: 'GET', expiresSeconds: 604_800 })
		door.clock.now = NOW + 604_799_000
		expect((await door.open(url)).status).toBe(200)
		for (const expiresSeconds of [0, -1, 604_801, 1.5, Number.NaN])
			await expect(door.presign({ method: 'GET', expiresSeconds })).rejects.toThrow(RangeError)
		for (const expires of ['0', '-1', '604801', '1e3', '', '060'])
			expect(await codeOf(await door.open(changed(url, 'X-Amz-Expires', expires)))).toBe(
				'AuthorizationQueryParametersError',
			)
	})

	it('rejects requests without a signature', async () => {
		for (const path of ['/s3/vault/film.mp4', '/s3/vault/film.mp4?X-Amz-Expires=60', '/s3/vault/nothing'])
			for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
				const response = await door.open(ORIGIN + path, { method })
				expect(response.status).toBe(403)
				if (method !== 'HEAD') expect(await codeOf(response)).toBe('AccessDenied')
			}
	})

	it.each([
		['X-Amz-Algorithm', 'AWS4-HMAC-SHA1', 'AuthorizationQueryParametersError'],
		['X-Amz-Algorithm', null, 'AuthorizationQueryParametersError'],
		['X-Amz-Credential', null, 'AuthorizationQueryParametersError'],
		['X-Amz-Credential', 'someone/20261121/auto/s3/aws4_request', 'InvalidAccessKeyId'],
		['X-Amz-Credential', 'playhouse/20261120/auto/s3/aws4_request', 'AuthorizationQueryParametersError'],
		['X-Amz-Credential', 'playhouse/20261121/eu/s3/aws4_request', 'AuthorizationQueryParametersError'],
		['X-Amz-Date', '2026-11-21T12:00:00Z', 'AuthorizationQueryParametersError'],
		['X-Amz-Date', '20261121T129900Z', 'AuthorizationQueryParametersError'],
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
	])('not with %s = %s', async (name, value, code) => {
		const { url } = await door.presign({ method: 'GET' })
		expect(await codeOf(await door.open(changed(url, name, value)))).toBe(code)
	})

	it('not with a header that commands the store and was not signed', async () => {
		const { url } = await door.presign({ method: 'PUT' })
		const put = (headers: Record<string, string>) =>
			door.open(url, { method: 'PUT', body: 'x', headers: { 'content-length': '1', ...headers } })
		expect(await codeOf(await put({ 'x-amz-copy-source': '/vault/other' }))).toBe('AccessDenied')
		expect(await codeOf(await put({ 'x-amz-meta-owner': 'me' }))).toBe('AccessDenied')
		expect(await codeOf(await put({ 'x-amz-content-sha256': 'a'.repeat(64) }))).toBe('NotImplemented')
		expect((await put({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-other': 'harmless' })).status).toBe(
			200,
		)
		const signed = await door.sign('PUT', 'copy', {}, { 'x-amz-copy-source': '/vault/film.mp4' })
		const copied = await door.open(signed.url, {
			method: 'PUT',
			body: 'x',
			headers: { 'content-length': '1', ...signed.headers },
		})
		expect(await codeOf(copied)).toBe('NotImplemented')
	})

	it('behind a proxy that changes the host, under the public address', async () => {
		const proxied = await openDoor({ PUBLIC_URL: 'https://video.example.org/api/' })
		await proxied.storage.vault.put('film.mp4', 'film')
		const { url } = await proxied.presign({ method: 'GET' })
		expect(url).toMatch(/^https:\/\/video\.example\.org\/api\/s3\/vault\/film\.mp4\?/)
		const inside = url.replace('https://video.example.org/api', 'http://10.0.0.7:8787')
		expect(await (await proxied.open(inside)).text()).toBe('film')
	})

	it('only while there are no S3 credentials, and a secret to check with', async () => {
		const { url } = await door.presign({ method: 'GET' })
		const s3 = {
			S3_ENDPOINT: 'https://account.example.com',
			S3_ACCESS_KEY_ID: 'id',
			S3_SECRET_ACCESS_KEY: 'secret',
		}
		for (const vars of [s3, { AUTH_SECRET: '' }]) {
			const closed = await openDoor(vars)
			expect((await closed.open(url)).status).toBe(404)
			expect((await closed.open(url, { method: 'OPTIONS' })).status).toBe(404)
		}
	})

	it('not for keys that hide "." or ".." segments', async () => {
		const { url } = await door.presign({ method: 'GET' })
		const at = (path: string) => door.open(url.replace('/s3/vault/film.mp4', path))
		// URL parsers resolve these before anyone sees them, so it is the same address.
		expect((await at('/s3/vault/a/../film.mp4')).status).toBe(200)
		expect((await at('/s3/vault/a/%2e%2E/film.mp4')).status).toBe(200)
		expect((await at('/s3/vault/../media/film.mp4')).status).toBe(403)
		expect(await codeOf(await at('/s3/vault/a%2F..%2Ffilm.mp4'))).toBe('InvalidURI')
		expect(await codeOf(await at('/s3/vault/%ff'))).toBe('InvalidURI')
		expect((await at('/s3/vault//film.mp4')).status).toBe(403)
		expect((await at('/s3/vault/')).status).toBe(501)
		for (const key of ['a/../b', '..', './a', '', '\ud800'])
			await expect(door.presign({ method: 'GET', key })).rejects.toThrow(RangeError)
	})

	it('allows pages of any origin', async () => {
		const { url } = await door.presign({ method: 'PUT' })
		const headers = {
			origin: 'https://elsewhere.example',
			'access-control-request-method': 'PUT',
			'access-control-request-headers': 'content-type,if-none-match',
		}
		const preflight = await door.open(url, { method: 'OPTIONS', headers })
		expect(preflight.status).toBe(204)
		expect(Object.fromEntries(preflight.headers)).toMatchObject({
			'access-control-allow-origin': '*',
			'access-control-allow-methods': expect.stringContaining('PUT'),
			'access-control-allow-headers': 'content-type,if-none-match',
			'access-control-max-age': '86400',
		})
		const refused = await door.open(`${ORIGIN}/s3/vault/film.mp4`)
		expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, '*'])
	})

	it('to no operation it does not know, whatever was signed', async () => {
		for (const [method, query] of [
			['PUT', { acl: '' }],
			['GET', { uploadId: 'x' }],
			['DELETE', {}],
			['POST', {}],
			['PATCH', {}],
			['PUT', { partNumber: '1' }],
			['GET', { versionId: '1' }],
		] as const) {
			const response = await door.send(method, 'film.mp4', query, {}, method === 'PUT' ? 'body' : undefined)
			expect([response.status, await codeOf(response)]).toEqual([501, 'NotImplemented'])
		}
		expect(await (await door.send('GET', 'film.mp4')).text()).toBe('film')
	})

	it('and tells nothing of what went wrong inside', async () => {
		const broken = await openDoor({ VAULT: { get: () => Promise.reject(new Error('disk 7 is on fire')) } })
		const response = await broken.send('GET', 'film.mp4')
		expect(response.status).toBe(500)
		expect(await response.text()).not.toContain('disk 7')
		expect(broken.logged.join()).toContain('disk 7 is on fire')
	})
})

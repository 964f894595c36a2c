/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { base64, digestBase64, film, openBody, openUpload, PART, type Upload } from './tus-fixture.ts'

let world: World
let ada: Person
let upload: Upload
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	upload = await openUpload(world, ada)
})

const code = (answer: Response) => answer.headers.get('x-error-code')
const sum = async (algorithm: string, bytes: Uint8Array<ArrayBuffer>) => {
	const name = { sha1: 'SHA-1', sha256: 'SHA-256', md5: 'MD5' }[algorithm] as string
	return { headers: { 'upload-checksum': `${algorithm} ${await digestBase64(bytes, name)}` } }
}

describe('CORS', () => {
	const origin = 'https://elsewhere.example'
	const valuesOf = (answer: Response, header: string) =>
		(answer.headers.get(header) ?? '').toLowerCase().split(', ')

	test('TUS allows all its headers across origins, but no cookies', async () => {
		for (const [path, method] of [
			['/upload/videos', 'POST'],
			['/upload/videos/0000000000000000000000', 'PATCH'],
			['/upload/videos/0000000000000000000000', 'HEAD'],
			['/upload/videos/0000000000000000000000', 'DELETE'],
		] as const) {
			const response = await upload.send('OPTIONS', path, {
				headers: { origin, 'access-control-request-method': method, authorization: undefined },
			})
			expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
			expect(valuesOf(response, 'access-control-allow-methods')).toContain(method.toLowerCase())
			expect(valuesOf(response, 'access-control-allow-headers')).toEqual(
				expect.arrayContaining(['authorization', 'content-type', 'tus-resumable', 'x-http-method-override']),
			)
			expect(response.headers.get('access-control-allow-credentials')).toBeNull()
		}
		const sent = async (path: string, method: string) =>
			valuesOf(
				await upload.send('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } }),
				'access-control-allow-headers',
			)
		expect(await sent('/upload/videos', 'POST')).toEqual(
			expect.arrayContaining(['upload-length', 'upload-defer-length', 'upload-metadata', 'upload-checksum']),
		)
		expect(await sent('/upload/videos/x', 'PATCH')).toEqual(
			expect.arrayContaining(['upload-offset', 'upload-length', 'upload-checksum']),
		)
	})

	test('TUS exposes the location, offset and error of an upload across origins', async () => {
		const created = await upload.post({ 'upload-length': '3', origin })
		expect(valuesOf(created, 'access-control-expose-headers')).toEqual(
			expect.arrayContaining([
				'location',
				'upload-offset',
				'upload-expires',
				'tus-resumable',
				'x-error-code',
			]),
		)
		const location = String(created.headers.get('location'))
		const response = await upload.head(location, { headers: { origin } })
		expect(valuesOf(response, 'access-control-expose-headers')).toEqual(
			expect.arrayContaining(['upload-offset', 'upload-length', 'upload-defer-length', 'upload-metadata']),
		)
		for (const token of ['wrong', upload.token]) {
			const rejected = await upload.patch(location, 1, 'x', { headers: { origin }, token })
			expect(rejected.headers.get('access-control-allow-origin')).toBe('*')
		}
	})
})

describe('creation', () => {
	test('the creation of a TUS upload returns 201 with the location, offset 0 and the expiry', async () => {
		const answer = await upload.post({ 'upload-length': '3' })
		expect(answer.status).toBe(201)
		expect(answer.headers.get('location')).toMatch(/^\/upload\/videos\/[0-9A-Za-z]{22}$/)
		expect(answer.headers.get('upload-offset')).toBe('0')
		expect(Date.parse(String(answer.headers.get('upload-expires')))).toBeGreaterThan(world.now)
	})

	test('the creation of a TUS upload requires either Upload-Length or Upload-Defer-Length', async () => {
		for (const headers of [
			{},
			{ 'upload-length': '3', 'upload-defer-length': '1' },
			{ 'upload-defer-length': '0' },
			{ 'upload-defer-length': 'true' },
		])
			expect((await upload.post(headers)).status).toBe(400)
	})

	test('the creation of a TUS upload returns 413 above the size of the token or the global limit', async () => {
		const small = await openUpload(world, ada, 10)
		expect((await small.post({ 'upload-length': '11' })).status).toBe(413)
		expect((await small.post({ 'upload-length': '10' })).status).toBe(201)
		expect((await small.post({ 'upload-length': String(10 * 1024 ** 3 + 1) })).status).toBe(413)
		const large = await openUpload(world, ada, 10 * 1024 ** 3)
		expect((await large.post({ 'upload-length': String(10 * 1024 ** 3) })).status).toBe(201)
		expect((await large.post({ 'upload-length': String(10 * 1024 ** 3 + 1) })).status).toBe(413)
	})

	test('the creation of a TUS upload requires well-formed metadata that names the source of the token', async () => {
		const filename = `filename ${base64(upload.sourceKey)}`
		const statusOf = async (metadata: string | undefined) =>
			(await upload.post({ 'upload-length': '3', 'upload-metadata': metadata })).status
		for (const bad of [
			undefined,
			'',
			'filename',
			`${filename},${filename}`,
			`${filename},`,
			`${filename}, ,a YQ==`,
			`${filename},a b c`,
			`${filename},a %%%`,
			`${filename},a YQ`,
			`${filename},a /w==`,
			`${filename},filetype ${base64('not a type')}`,
			`filetype ${base64('video/mp4')}`,
		])
			expect(await statusOf(bad), String(bad)).toBe(400)
		expect(await statusOf(`filename ${base64(`${upload.sourceKey}x`)}`)).toBe(403)
		for (const good of [
			filename,
			`${filename},is_public`,
			`a ${base64('ä €')},${filename}`,
			`a , ${filename}`,
		])
			expect(await statusOf(good), good).toBe(201)
	})

	test('the creation of a TUS upload returns its metadata, and stores the file type with the source', async () => {
		const metadata = `zz,filetype ${base64('video/webm')},filename ${base64(upload.sourceKey)},name ${base64('Fïlm')}`
		const location = await upload.begin(3, { headers: { 'upload-metadata': metadata } })
		expect((await upload.head(location)).headers.get('upload-metadata')).toBe(metadata)
		await upload.patch(location, 0, 'abc')
		expect((await upload.source())?.contentType).toBe('video/webm')
	})
})

describe('creation with upload', () => {
	const type = { 'content-type': 'application/offset+octet-stream' }
	test('creation with upload returns the number of received bytes', async () => {
		const answer = await upload.post({ 'upload-length': '6', ...type }, { body: 'abc' })
		expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, '3'])
		expect((await upload.patch(String(answer.headers.get('location')), 3, 'def')).status).toBe(204)
		expect(await upload.status()).toBe('uploaded')
	})

	test('creation with upload accepts the whole file', async () => {
		const bytes = film(PART + 1)
		const answer = await upload.post(
			{ 'upload-length': String(bytes.byteLength), ...type, 'content-length': String(bytes.byteLength) },
			{ body: bytes },
		)
		expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, String(PART + 1)])
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('creation with upload ignores a body of another type, and rejects excess bytes and a wrong checksum', async () => {
		const other = await upload.post({ 'upload-length': '3', 'content-type': 'text/plain' }, { body: 'abc' })
		expect([other.status, other.headers.get('upload-offset')]).toEqual([201, '0'])
		expect((await upload.post({ 'upload-length': '2', ...type }, { body: 'abc' })).status).toBe(413)
		const checksum = { 'upload-checksum': `sha1 ${await digestBase64(film(3), 'SHA-1')}` }
		const wrong = await upload.post({ 'upload-length': '3', ...type, ...checksum }, { body: 'abc' })
		expect([wrong.status, code(wrong)]).toEqual([460, 'checksum_mismatch'])
		expect(await upload.record()).toBeNull()
	})
})

describe('a deferred length', () => {
	test('a deferred length is reported as deferred until it is set, and cannot change', async () => {
		const location = await upload.begin('deferred')
		await upload.patch(location, 0, 'abc')
		const before = await upload.head(location)
		expect([before.headers.get('upload-defer-length'), before.headers.get('upload-length')]).toEqual([
			'1',
			null,
		])
		const response = await upload.patch(location, 3, 'd', { headers: { 'upload-length': '6' } })
		expect(response.status).toBe(204)
		const after = await upload.head(location)
		expect([after.headers.get('upload-defer-length'), after.headers.get('upload-length')]).toEqual([
			null,
			'6',
		])
		for (const length of ['5', '7'])
			expect((await upload.patch(location, 4, 'e', { headers: { 'upload-length': length } })).status).toBe(
				400,
			)
		expect((await upload.patch(location, 4, 'ef', { headers: { 'upload-length': '6' } })).status).toBe(204)
		expect((await upload.source())?.sizeBytes).toBe(6)
	})

	test('a deferred length may come with an empty body and finishes an upload smaller than a part', async () => {
		const location = await upload.begin('deferred')
		await upload.patch(location, 0, 'abc')
		expect(await upload.status()).toBe('created')
		const response = await upload.patch(location, 3, undefined, { headers: { 'upload-length': '3' } })
		expect([response.status, response.headers.get('upload-offset')]).toEqual([204, '3'])
		expect((await upload.source())?.digest).toBe(await digestBase64(new TextEncoder().encode('abc')))
	})

	test('a deferred length must be at least the stored bytes and at most what the token allows', async () => {
		const small = await openUpload(world, ada, 10)
		const location = await small.begin('deferred')
		await small.patch(location, 0, 'abc')
		const sendLength = async (length: number, body?: Uint8Array<ArrayBuffer>) =>
			(await small.patch(location, 3, body, { headers: { 'upload-length': String(length) } })).status
		expect([await sendLength(2), await sendLength(11), await sendLength(4, film(2))]).toEqual([400, 413, 413])
		expect((await small.patch(location, 3, film(8))).status).toBe(413)
		expect(await small.readOffset(location)).toBe(3)
		expect((await small.head(location)).headers.get('upload-defer-length')).toBe('1')
	})
})

describe('the checksum of an upload', () => {
	test.each(['sha1', 'sha256', 'md5'])('a matching checksum of %s is accepted', async (algorithm) => {
		const bytes = film(2 * PART + 9)
		const location = await upload.begin(bytes.byteLength)
		const [first, second] = [bytes.slice(0, PART - 3), bytes.slice(PART - 3)]
		expect((await upload.patch(location, 0, first, await sum(algorithm, first))).status).toBe(204)
		expect((await upload.patch(location, PART - 3, second, await sum(algorithm, second))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('a wrong checksum returns 460 and keeps the offset', async () => {
		const bytes = film(3 * PART)
		const location = await upload.begin(bytes.byteLength)
		await upload.patch(location, 0, bytes.slice(0, 100))
		const rest = bytes.slice(100)
		const wrong = await upload.patch(location, 100, rest.toReversed(), await sum('sha1', rest))
		expect([wrong.status, code(wrong)]).toEqual([460, 'checksum_mismatch'])
		expect(await upload.readOffset(location)).toBe(100)
		expect((await upload.patch(location, 100, rest, await sum('sha1', rest))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('the checksum of a body that broke off cannot be verified, so no byte is stored', async () => {
		const bytes = film(2 * PART)
		const location = await upload.begin(bytes.byteLength)
		const sender = openBody()
		const answer = upload.patch(location, 0, sender.body, {
			headers: { ...(await sum('sha1', bytes)).headers, 'content-length': String(bytes.byteLength) },
		})
		await sender.write(bytes.slice(0, PART + 5))
		await sender.cut()
		expect((await answer).status).toBe(400)
		expect(await upload.readOffset(location)).toBe(0)
	})

	test('a checksum that is malformed or of an unknown algorithm returns 400', async () => {
		const location = await upload.begin(3)
		for (const header of ['crc32 AAAA', 'sha1', 'sha1 ***', 'SHA1 YQ==', 'toString YQ=='])
			expect(
				(await upload.patch(location, 0, 'abc', { headers: { 'upload-checksum': header } })).status,
			).toBe(400)
		expect(await upload.readOffset(location)).toBe(0)
	})
})

describe('a body longer than the upload', () => {
	/** Sends bytes without a declared length and returns the status. */
	async function sendUndeclared(
		location: string,
		offset: number,
		bytes: Uint8Array,
		headers: Record<string, string> = {},
	): Promise<number> {
		const sender = openBody()
		const answer = upload.patch(location, offset, sender.body, { headers })
		// The response may come before the body was read to its end.
		const sent = sender.write(bytes).then(sender.end, () => undefined)
		const { status } = await answer
		await sent
		return status
	}

	test('a body longer than the upload returns 413, and no byte of an incomplete part is stored', async () => {
		const location = await upload.begin(6)
		expect((await upload.patch(location, 0, film(7))).status).toBe(413)
		expect(await sendUndeclared(location, 0, film(7))).toBe(413)
		expect(await upload.readOffset(location)).toBe(0)
		expect((await upload.patch(location, 0, 'abcdef')).status).toBe(204)
	})

	test('a too long body without a declared length keeps its whole parts, and the sender can continue', async () => {
		const long = film(2 * PART + 9)
		const bytes = long.slice(0, 2 * PART + 5)
		const location = await upload.begin(bytes.byteLength)
		expect(await sendUndeclared(location, 0, long)).toBe(413)
		expect(await upload.readOffset(location)).toBe(2 * PART)
		expect((await upload.patch(location, 2 * PART, bytes.slice(2 * PART))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('a too long body without a declared length never completes an upload of whole parts', async () => {
		const long = film(2 * PART + 1)
		const bytes = long.slice(0, 2 * PART)
		const location = await upload.begin(bytes.byteLength)
		await upload.patch(location, 0, bytes.slice(0, 100))
		expect(await sendUndeclared(location, 100, long.slice(100))).toBe(413)
		expect(await upload.readOffset(location)).toBe(PART)
		expect(await upload.source()).toBeNull()
		expect((await upload.patch(location, PART, bytes.slice(PART))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})

	test('a too long body with a checksum stores nothing, even without a declared length', async () => {
		const location = await upload.begin(PART + 5)
		const long = film(PART + 9)
		expect(await sendUndeclared(location, 0, long, (await sum('sha1', long)).headers)).toBe(413)
		expect(await upload.readOffset(location)).toBe(0)
	})
})

/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { digestBase64, film, MIB, openBody, openUpload, PART, type Sent, type Upload } from './tus-fixture.ts'

let world: World
let ada: Person
let upload: Upload
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	upload = await openUpload(world, ada)
})

const code = (answer: Response) => answer.headers.get('x-error-code')

describe('C1: Tus-Resumable', () => {
	test('C1: Tus-Resumable is in every response, including errors of every kind', async () => {
		const location = await upload.begin(3)
		const nothing = '/upload/videos/0000000000000000000000'
		const answers = [
			await upload.send('OPTIONS', '/upload/videos'),
			await upload.head(location),
			await upload.patch(location, 9, 'abc'),
			await upload.patch(location, 0, 'abc', { token: 'wrong' }),
			await upload.head(nothing),
			await upload.send('GET', location),
			await upload.send('PUT', '/upload/videos'),
			await upload.send('GET', '/upload/videos/a/b'),
			await upload.head('/upload/videos/x'),
			await upload.patch(location, 0, 'abc'),
		]
		expect(answers.map((a) => a.status)).toEqual([204, 200, 409, 401, 404, 405, 405, 404, 404, 204])
	})
})

describe('C2: an unsupported version', () => {
	test.each(['0.2.2', '1.0', '2.0.0', '', undefined])(
		'C2: the version %s returns 412 with the supported version and changes nothing',
		async (version) => {
			const location = await upload.begin(3)
			const headers = { 'tus-resumable': version }
			for (const answer of [
				await upload.post({ 'upload-length': '3', ...headers }),
				await upload.head(location, { headers }),
				await upload.patch(location, 0, 'abc', { headers }),
				await upload.remove(location, { headers }),
			]) {
				expect([answer.status, answer.headers.get('tus-version')]).toEqual([412, '1.0.0'])
			}
			expect(await upload.readOffset(location)).toBe(0)
		},
	)
})

describe('C3: HEAD', () => {
	test('C3: HEAD returns the offset from start to end, with no-store', async () => {
		const location = await upload.begin(6)
		for (const [offset, more] of [
			[0, 'abc'],
			[3, 'def'],
			[6, ''],
		] as const) {
			const answer = await upload.head(location)
			expect(answer.status).toBe(200)
			expect(answer.headers.get('upload-offset')).toBe(String(offset))
			expect(answer.headers.get('upload-length')).toBe('6')
			expect(answer.headers.get('upload-metadata')).toBe(upload.metadata)
			expect(answer.headers.get('cache-control')).toBe('no-store')
			expect(await answer.text()).toBe('')
			expect((await upload.patch(location, offset, more)).status).toBe(204)
		}
	})
})

describe('C4: a missing upload', () => {
	test('C4: a missing upload returns 404 without an offset', async () => {
		for (const path of [
			'/upload/videos/0000000000000000000000',
			'/upload/videos/%2e%2e%2f',
			'/upload/videos/x',
		])
			for (const answer of [
				await upload.head(path),
				await upload.patch(path, 0, 'x'),
				await upload.remove(path),
			])
				expect([answer.status, answer.headers.get('upload-offset')]).toEqual([404, null])
	})
})

describe('C5: content types', () => {
	test.each([
		undefined,
		'application/octet-stream',
		'text/plain',
		'application/offset+octet-stream; charset=utf-8',
	])('C5: a body with the content type %s returns 415', async (type) => {
		const location = await upload.begin(3)
		const answer = await upload.patch(location, 0, film(3), { headers: { 'content-type': type } })
		expect([answer.status, code(answer)]).toEqual([415, 'unsupported_media_type'])
		expect(await upload.readOffset(location)).toBe(0)
	})
})

describe('C6: a wrong offset', () => {
	test('C6: a wrong offset returns 409 and changes nothing', async () => {
		const location = await upload.begin(6)
		await upload.patch(location, 0, 'abc')
		for (const offset of [0, 2, 4, 6, 7, 2 ** 40]) {
			const answer = await upload.patch(location, offset, 'x')
			expect([answer.status, code(answer)]).toEqual([409, 'conflict'])
		}
		expect(await upload.readOffset(location)).toBe(3)
		await upload.patch(location, 3, 'def')
		expect((await upload.patch(location, 3, 'def')).status).toBe(409)
		// At the right offset there is no room for more bytes, but an empty body is accepted.
		expect((await upload.patch(location, 6, 'g')).status).toBe(413)
		expect((await upload.patch(location, 6)).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(new TextEncoder().encode('abcdef')))
	})
})

describe('C7: PATCH', () => {
	test('C7: PATCH returns 204 with the new offset and the expiry', async () => {
		const location = await upload.begin(9)
		const expected = [
			['abc', '3'],
			['', '3'],
			['d', '4'],
		] as const
		for (const [body, offset] of expected) {
			const answer = await upload.patch(location, await upload.readOffset(location), body)
			expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, offset])
			const expiresIn = Date.parse(String(answer.headers.get('upload-expires'))) - world.now
			expect(expiresIn).toBeGreaterThan(2.9 * 86_400_000)
			expect(expiresIn).toBeLessThan(7 * 86_400_000)
		}
		const last = await upload.patch(location, 4, 'efghi')
		expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '9'])
		expect(last.headers.get('upload-expires')).toBeNull()
	})
})

describe('C8: a body that breaks off', () => {
	test.each([
		['within the first part', 3 * MIB + 17],
		['at the end of a part', PART],
		['within the third part', 2 * PART + 12_345],
	])('C8: a body that breaks off %s is stored up to that byte', async (_, cutAt) => {
		const bytes = film(3 * PART)
		const location = await upload.begin(bytes.byteLength)
		const sender = openBody()
		const answer = upload.patch(location, 0, sender.body, {
			headers: { 'content-length': String(bytes.byteLength) },
		})
		for (let at = 0; at < cutAt; at += 100_000)
			await sender.write(bytes.slice(at, Math.min(cutAt, at + 100_000)))
		await sender.cut()
		expect([(await answer).status, code(await answer)]).toEqual([400, 'malformed'])
		expect(await upload.readOffset(location)).toBe(cutAt)
		expect((await upload.patch(location, cutAt, bytes.subarray(cutAt))).status).toBe(204)
		expect((await upload.source())?.digest).toBe(await digestBase64(bytes))
	})
})

describe('C9: X-HTTP-Method-Override', () => {
	const as = (method: string, more: Sent['headers'] = {}): Sent => ({
		headers: { 'x-http-method-override': method, ...more },
	})
	test('C9: X-HTTP-Method-Override replaces the method of the request', async () => {
		const location = await upload.begin(6)
		const append = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
		const patched = await upload.send('POST', location, { ...as('PATCH', append), body: 'abc' })
		expect([patched.status, patched.headers.get('upload-offset')]).toEqual([204, '3'])
		const inspected = await upload.send('POST', location, as('HEAD'))
		expect([inspected.status, inspected.headers.get('upload-offset'), await inspected.text()]).toEqual([
			200,
			'3',
			'',
		])
		expect(
			(await upload.send('PUT', location, { ...as('patch', { ...append, 'upload-offset': '3' }), body: 'd' }))
				.status,
		).toBe(204)
		expect((await upload.send('POST', location, as('BREW'))).status).toBe(405)
		expect((await upload.send('POST', '/upload/videos', as('OPTIONS'))).headers.get('tus-version')).toBe(
			'1.0.0',
		)
		expect((await upload.send('POST', location, as('DELETE'))).status).toBe(204)
		expect((await upload.head(location)).status).toBe(404)
	})
})

describe('C10: OPTIONS', () => {
	test.each(['/upload/videos', '/upload/videos/0000000000000000000000', '/upload/videos/x'])(
		'C10: OPTIONS %s describes the protocol without authentication, for any version',
		async (path) => {
			for (const version of ['1.0.0', '0.2.2', undefined]) {
				const answer = await upload.send('OPTIONS', path, {
					headers: { 'tus-resumable': version, authorization: undefined },
				})
				expect(answer.status).toBe(204)
				expect(Object.fromEntries(answer.headers)).toMatchObject({
					'tus-version': '1.0.0',
					'tus-extension':
						'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination',
					'tus-max-size': String(10 * 1024 ** 3),
					'tus-checksum-algorithm': 'sha1,sha256,md5',
				})
			}
		},
	)
})

describe('C11: numbers', () => {
	const wrong = [
		'-1',
		'1.5',
		'abc',
		'1e3',
		'+1',
		'',
		' ',
		'0x10',
		'9007199254740993',
		'99999999999999999999',
		'1,1',
	]
	test.each(wrong)('C11: the number %j returns 400 as an offset and as a length', async (number) => {
		const location = await upload.begin(3)
		const answers = [
			await upload.patch(location, number, 'abc'),
			await upload.post({ 'upload-length': number }),
			await upload.patch(location, 0, 'abc', { headers: { 'upload-length': number } }),
		]
		expect(answers.map((a) => [a.status, code(a)])).toEqual(Array(3).fill([400, 'validation']))
		expect(await upload.readOffset(location)).toBe(0)
	})

	test('C11: a missing offset returns 400', async () => {
		const location = await upload.begin(3)
		expect((await upload.patch(location, 0, 'abc', { headers: { 'upload-offset': undefined } })).status).toBe(
			400,
		)
	})
})

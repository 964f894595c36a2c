/** @module-tag d1 */
import { beforeEach, describe, expect, it } from 'vitest'
import { readParts } from '../../../../edge/video/s3-api/multipart.ts'
import { openS3Client, readErrorCode, type S3Client } from './s3-client.ts'

const PART_BYTES = 5 * 1024 ** 2
const KEY = 'films/ünï (1).mp4'
let client: S3Client
beforeEach(async () => {
	client = await openS3Client()
})

const part = (fill: number, size = PART_BYTES) => new Uint8Array(size).fill(fill)
const idOf = async (response: Response) =>
	/<UploadId>([^<]+)<\/UploadId>/.exec(await response.text())?.[1] ?? ''
const listOf = (parts: [number, string][]) =>
	`<CompleteMultipartUpload>${parts.map(([n, etag]) => `<Part><PartNumber>${n}</PartNumber><ETag>${etag}</ETag></Part>`).join('')}</CompleteMultipartUpload>`

const begin = async () =>
	idOf(await client.send('POST', KEY, { uploads: '' }, { 'content-type': 'video/mp4' }))
async function upload(
	uploadId: string,
	partNumber: number,
	body: Uint8Array<ArrayBuffer>,
): Promise<Response> {
	const { url, method } = await client.storage.presignPart({
		bucket: 'vault',
		key: KEY,
		uploadId,
		partNumber,
		expiresSeconds: 60,
	})
	return client.open(url, { method, body, headers: { 'content-length': String(body.byteLength) } })
}
const complete = (uploadId: string, list: string) => client.send('POST', KEY, { uploadId }, {}, list)
const etagOf = (response: Response) => response.headers.get('etag') as string

describe('multipart uploads', () => {
	it('a multipart upload creates one object from parts that arrive in any order', async () => {
		const uploadId = await begin()
		const second = etagOf(await upload(uploadId, 2, part(2, 1000)))
		const first = etagOf(await upload(uploadId, 1, part(1)))
		expect(await client.storage.vault.head(KEY)).toBeNull()
		const done = await complete(
			uploadId,
			listOf([
				[1, first],
				[2, second.replaceAll('"', '&quot;')],
			]),
		)
		expect(done.status).toBe(200)
		const head = await client.storage.vault.head(KEY)
		expect(head).toMatchObject({ sizeBytes: PART_BYTES + 1000, contentType: 'video/mp4' })
		expect(await done.text()).toContain(`<ETag>&#34;${head?.etag}&#34;</ETag>`)
		const range = await client.send('GET', KEY, {}, { range: `bytes=${PART_BYTES - 1}-${PART_BYTES}` })
		expect([...new Uint8Array(await range.arrayBuffer())]).toEqual([1, 2])
	})

	it('the Worker can create and complete a multipart upload with parts sent through the S3 API', async () => {
		const { uploadId } = await client.storage.vault.createMultipart(KEY, { contentType: 'video/mp4' })
		const etag = etagOf(await upload(uploadId, 1, part(7, 10))).replaceAll('"', '')
		const object = await client.storage.vault.completeMultipart(KEY, uploadId, [{ partNumber: 1, etag }])
		expect(object.sizeBytes).toBe(10)
	})

	it('an aborted multipart upload rejects parts and completion', async () => {
		const uploadId = await begin()
		const etag = etagOf(await upload(uploadId, 1, part(1, 10)))
		expect((await client.send('DELETE', KEY, { uploadId })).status).toBe(204)
		const late = await upload(uploadId, 2, part(1, 10))
		expect([late.status, await readErrorCode(late)]).toEqual([404, 'NoSuchUpload'])
		expect(await readErrorCode(await complete(uploadId, listOf([[1, etag]])))).toBe('NoSuchUpload')
		expect(await client.storage.vault.head(KEY)).toBeNull()
	})

	it('a multipart upload can be completed only once', async () => {
		const uploadId = await begin()
		const list = listOf([[1, etagOf(await upload(uploadId, 1, part(1, 10)))]])
		expect((await complete(uploadId, list)).status).toBe(200)
		expect(await readErrorCode(await complete(uploadId, list))).toBe('NoSuchUpload')
	})

	it('a multipart upload rejects parts that are too small, unequal, unknown or replaced', async () => {
		const small = await begin()
		const one = etagOf(await upload(small, 1, part(1, 10)))
		const two = etagOf(await upload(small, 2, part(2, 10)))
		expect(
			await readErrorCode(
				await complete(
					small,
					listOf([
						[1, one],
						[2, two],
					]),
				),
			),
		).toBe('EntityTooSmall')
		const unequal = await begin()
		const a = etagOf(await upload(unequal, 1, part(1)))
		const b = etagOf(await upload(unequal, 2, part(2, PART_BYTES + 1)))
		expect(
			await readErrorCode(
				await complete(
					unequal,
					listOf([
						[1, a],
						[2, b],
					]),
				),
			),
		).toBe('InvalidPart')
		expect(
			await readErrorCode(
				await complete(
					unequal,
					listOf([
						[1, a],
						[3, b],
					]),
				),
			),
		).toBe('InvalidPart')
		expect(await readErrorCode(await complete(unequal, listOf([[1, b]])))).toBe('InvalidPart')
	})

	it.each(['0', '10001', '-1', '1.5', 'x', ''])(
		'a multipart upload rejects the part number "%s"',
		async (partNumber) => {
			const uploadId = await begin()
			const response = await client.send('PUT', KEY, { uploadId, partNumber }, {}, 'x')
			expect([response.status, await readErrorCode(response)]).toEqual([400, 'InvalidArgument'])
		},
	)

	it('a multipart upload requires the length of parts and lists, and rejects conditions', async () => {
		const uploadId = await begin()
		const { url } = await client.storage.presignPart({
			bucket: 'vault',
			key: KEY,
			uploadId,
			partNumber: 1,
			expiresSeconds: 60,
		})
		expect((await client.open(url, { method: 'PUT', body: 'x' })).status).toBe(411)
		const done = await client.sign('POST', KEY, { uploadId })
		expect((await client.open(done.url, { method: 'POST', body: 'x' })).status).toBe(411)
		expect((await client.send('POST', KEY, { uploadId }, { 'content-length': '4194305' }, 'x')).status).toBe(
			413,
		)
		expect((await client.send('POST', KEY, { uploadId }, { 'if-none-match': '*' }, 'x')).status).toBe(501)
	})
})

describe('readParts', () => {
	it('parses the XML part lists of different clients', () => {
		const pretty =
			'<?xml version="1.0"?>\n<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\n <Part>\n  <ETag>"a-1"</ETag>\n  <PartNumber>1</PartNumber>\n </Part>\n <Part><PartNumber> 3 </PartNumber><ChecksumCRC32>x</ChecksumCRC32><ETag>&#34;b&#34;</ETag></Part>\n</CompleteMultipartUpload>'
		expect(readParts(pretty)).toEqual([
			{ partNumber: 1, etag: 'a-1' },
			{ partNumber: 3, etag: 'b' },
		])
	})

	it.each([
		['', 'MalformedXML'],
		['<CompleteMultipartUpload/>', 'MalformedXML'],
		['<Part><PartNumber>1</PartNumber></Part>', 'MalformedXML'],
		['<Part><ETag>a</ETag></Part>', 'MalformedXML'],
		['<Part><PartNumber>0</PartNumber><ETag>a</ETag></Part>', 'MalformedXML'],
		['<Part><PartNumber>1</PartNumber><ETag>&lol;</ETag></Part>', 'MalformedXML'],
		[
			listOf([
				[2, 'a'],
				[1, 'b'],
			]),
			'InvalidPartOrder',
		],
		[
			listOf([
				[1, 'a'],
				[1, 'b'],
			]),
			'InvalidPartOrder',
		],
	])('a part list with %s is rejected with %s', (xml, code) => {
		expect(() => readParts(xml)).toThrowError(expect.objectContaining({ code }))
	})
})

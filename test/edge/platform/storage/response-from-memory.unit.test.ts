import { expect, test } from 'vitest'
import { answerWithBytes } from '../../../../edge/platform/storage/object-response.ts'

const bytes = new Uint8Array([1, 2, 3])
const object = {
	...{ key: 'a.webp', sizeBytes: 3, etag: 'tag', uploadedAt: 0, digests: {} },
	...{ contentType: 'image/webp', cacheControl: null, contentDisposition: null },
}

async function answer(init: RequestInit) {
	const response = answerWithBytes(new Request('https://example.org/', init), { object, bytes }, {})
	return {
		status: response.status,
		body: response.body && [...new Uint8Array(await response.arrayBuffer())],
		length: response.headers.get('content-length'),
		etag: response.headers.get('etag'),
	}
}

test.each<[string, RequestInit, Awaited<ReturnType<typeof answer>>]>([
	['GET returns the bytes', {}, { status: 200, body: [1, 2, 3], length: '3', etag: '"tag"' }],
	[
		'HEAD returns the headers of GET',
		{ method: 'HEAD' },
		{ status: 200, body: null, length: '3', etag: '"tag"' },
	],
	[
		'a matching If-None-Match returns 304',
		{ headers: { 'if-none-match': '"tag"' } },
		{ status: 304, body: null, length: null, etag: '"tag"' },
	],
	[
		'an If-Match of another version returns 412',
		{ headers: { 'if-match': '"other"' } },
		{ status: 412, body: null, length: null, etag: null },
	],
])('%s if the object is in memory', async (_, init, expected) => {
	expect(await answer(init)).toEqual(expected)
})

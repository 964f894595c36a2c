import { describe, expect, test } from 'vitest'
import { createClient } from '../../sdk/src/client.ts'
import * as bits from '../../sdk/src/operation.ts'
import { composeRequest } from '../../sdk/src/request.ts'

const getAsset = ['GET /v1/assets/{assetId}'] as const
const updateAsset = ['PATCH /v1/assets/{assetId}', bits.JSON_BODY] as const

test('the fields of a call are distributed to path, query and body', () => {
	expect(composeRequest(getAsset, { assetId: 'ast_1', limit: 2, q: 'a b&c', hasCaptions: false })).toEqual({
		method: 'GET',
		path: '/v1/assets/ast_1?limit=2&q=a%20b%26c&hasCaptions=false',
	})
	expect(composeRequest(updateAsset, { assetId: 'ast_1', title: 'Film' })).toEqual({
		method: 'PATCH',
		path: '/v1/assets/ast_1',
		body: '{"title":"Film"}',
	})
	const addComment = ['POST /v1/playback/{playbackId}/comments', bits.JSON_BODY, 'token'] as const
	expect(composeRequest(addComment, { playbackId: 'p', token: 't', body: 'Hello' })).toEqual({
		method: 'POST',
		path: '/v1/playback/p/comments?token=t',
		body: '{"body":"Hello"}',
	})
	const setImage = ['POST /posts/{postId}/images', bits.BYTES_BODY, 'alt'] as const
	expect(composeRequest(setImage, { postId: 7, alt: 'A cat', body: 'bytes' })).toEqual({
		method: 'POST',
		path: '/posts/7/images?alt=A%20cat',
		body: 'bytes',
	})
})

test('a call does not modify its input, and omits undefined fields', () => {
	const input = { assetId: 'ast_1', limit: undefined }
	expect(composeRequest(getAsset, input).path).toBe('/v1/assets/ast_1')
	expect(input).toEqual({ assetId: 'ast_1', limit: undefined })
})

test.each([
	['', 'assetId is ""; pass an id'],
	['.', 'assetId is "."; pass an id'],
	['..', 'assetId is ".."; pass an id'],
	[undefined, 'assetId is ""; pass an id'],
	[null, 'assetId is ""; pass an id'],
])('the id %j in a path is refused before a request', (assetId, sentence) => {
	expect(() => composeRequest(getAsset, { assetId })).toThrow(new TypeError(sentence))
})

test.each(['../orgs', 'a/b', '%2e%2e', 'a?b', 'a#b', 'ä'])(
	'the id %j stays one segment of the path',
	(assetId) => {
		const { path } = composeRequest(getAsset, { assetId })
		const { pathname, search, hash } = new URL(path, 'https://video.example.com')
		expect(decodeURIComponent(pathname.replace('/v1/assets/', ''))).toBe(assetId)
		expect(search + hash).toBe('')
	},
)

describe('the options of a client', () => {
	const baseUrl = 'https://video.example.com'
	test.each([
		[{ baseUrl, apiKey: 'k', token: 't' }, 'apiKey and token are both set; set one'],
		[{ baseUrl, apikey: 'k' }, 'there is no option apikey; remove it'],
		[{ baseUrl, apiKey: '' }, 'the credential is empty or contains spaces; copy it again'],
		[{ baseUrl, apiKey: 'secret\n' }, 'the credential is empty or contains spaces; copy it again'],
		[
			{ baseUrl: 'video.example.com' },
			'baseUrl is not the address of an installation; use one like https://video.example.com',
		],
		[
			{ baseUrl: 'ftp://video.example.com' },
			'baseUrl is not the address of an installation; use one like https://video.example.com',
		],
		[
			{ baseUrl: 'https://you:secret@video.example.com' },
			'baseUrl is not the address of an installation; use one like https://video.example.com',
		],
		[
			{ baseUrl: 'http://video.example.com', apiKey: 'secret' },
			'http://video.example.com would get the credential unencrypted; use https, or set allowInsecureHttp',
		],
		[
			{ baseUrl: 'http://127.0.0.1.example.com', token: async () => 'secret' },
			'http://127.0.0.1.example.com would get the credential unencrypted; use https, or set allowInsecureHttp',
		],
	])('the options %j are refused with a sentence without the secret', (options, sentence) => {
		expect(() => createClient(options)).toThrow(new TypeError(sentence))
		expect(sentence).not.toContain('secret')
	})

	test.each([
		['http://127.0.0.1:8787'],
		['http://localhost:8787/'],
		['http://[::1]:8787'],
		['http://tenant.localhost'],
		['https://example.com/video/'],
	])('a client accepts a credential for %s', async (baseUrl) => {
		const client = createClient({ baseUrl, apiKey: 'phk_live_1' })
		expect(client.baseUrl).toBe(baseUrl.replace(/\/$/, ''))
		expect(await client.authorize()).toBe('Bearer phk_live_1')
	})

	test('a token that a function returns is checked, and never appears in the error message', async () => {
		const client = createClient({ baseUrl, token: async () => 'two words' })
		await expect(client.authorize()).rejects.toThrow('the credential is empty or contains spaces')
	})
})

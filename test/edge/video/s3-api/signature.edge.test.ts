/** @module-tag d1 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSigner, type S3Access, signUrl } from '../../../../edge/platform/storage/presign.ts'
import { parseObjectPath } from '../../../../edge/video/s3-api/address.ts'
import { S3Error } from '../../../../edge/video/s3-api/errors.ts'
import { verifySignature } from '../../../../edge/video/s3-api/signature.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import { NOW, ORIGIN } from './s3-client.ts'
import { signBySpecification } from './sigv4.ts'

const access = (): S3Access => ({
	endpoint: `${ORIGIN}/s3`,
	region: 'auto',
	accessKeyId: 'playhouse',
	secretAccessKey: 'the secret of these tests',
	bucketNames: { vault: 'vault', media: 'media' },
	signingKeys: new Map(),
})

const key = fc
	.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
	.filter((text) => text.isWellFormed() && !text.split('/').some((part) => part === '.' || part === '..'))
const oddKey = fc.oneof(
	key,
	fc.constantFrom(
		'a b',
		'a+b',
		"it's (1).mp4",
		'100%',
		'%2e',
		'a//b',
		'/lead',
		'tail/',
		'ünï/漢字/😀',
		'a\\b',
		'*~-_.',
		'?x=1#y',
		'a%2Fb',
	),
)
const request = fc.record({
	key: oddKey,
	method: fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE'),
	bucket: fc.constantFrom('vault' as const, 'media' as const),
	expiresSeconds: fc.integer({ min: 1, max: 604_800 }),
	query: fc.dictionary(
		fc.stringMatching(/^[a-z-]{1,12}$/),
		fc.string({ unit: 'grapheme', maxLength: 20 }).filter((t) => t.isWellFormed()),
		{ maxKeys: 3 },
	),
	headers: fc.dictionary(
		fc.constantFrom('content-type', 'if-none-match', 'x-amz-meta-a'),
		fc.stringMatching(/^[!-~]([ -~]{0,10}[!-~])?$/),
		{ maxKeys: 3 },
	),
})

async function isAccepted(
	method: string,
	url: string,
	headers: Record<string, string>,
	now = NOW,
): Promise<boolean> {
	const parsed = URL.parse(url)
	if (!parsed) return false
	const { pathname, searchParams } = parsed
	try {
		await verifySignature(
			[access()],
			{ method, ...parseObjectPath(pathname), query: searchParams, headers: new Headers(headers) },
			now,
		)
		return true
	} catch (error) {
		if (error instanceof S3Error) return false
		throw error
	}
}

/** Returns the bucket, key and query of a URL, independent of its encoding; null if the URL is invalid. */
function requestIn(url: string): string | null {
	try {
		const { pathname, searchParams } = new URL(url)
		return JSON.stringify([parseObjectPath(pathname), [...searchParams].map((pair) => pair.join('=')).sort()])
	} catch {
		return null
	}
}

describe('SigV4 signatures', () => {
	it('SigV4 signatures match the example in the S3 documentation', async () => {
		const example = {
			...access(),
			region: 'us-east-1',
			accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
			secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
		}
		const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Expires=86400')
		const signer = openSigner(example, { method: 'GET', url, headers: {}, datetime: '20130524T000000Z' })
		expect(await signer.signature()).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
	})

	it('SigV4 signatures match an independent implementation for any key, query and headers', async () => {
		await fc.assert(
			fc.asyncProperty(request, async (input) => {
				const { url } = await signUrl(access(), input, NOW)
				const signature = new URL(url).searchParams.get('X-Amz-Signature')
				expect(
					await signBySpecification(
						access().secretAccessKey,
						input.method,
						`/s3/${input.bucket}/${input.key}`,
						url,
						input.headers,
					),
				).toBe(signature)
			}),
			{ numRuns: propertyRuns(100) },
		)
	})

	it('SigV4 signatures are accepted for every key, query and set of headers', async () => {
		await fc.assert(
			fc.asyncProperty(request, async (input) => {
				const { url, headers } = await signUrl(access(), input, NOW)
				expect(parseObjectPath(new URL(url).pathname)).toEqual({ bucket: input.bucket, key: input.key })
				expect(await isAccepted(input.method, url, headers)).toBe(true)
			}),
			{ numRuns: propertyRuns(100) },
		)
	})

	it('a SigV4 signature is rejected when a changed character of the URL changes the request', async () => {
		const runs = propertyRuns(300)
		let changedRequests = 0
		await fc.assert(
			fc.asyncProperty(
				request,
				fc.nat(),
				fc.constantFrom(...'aZ09/%.+&=?#;:~ é'),
				async (input, at, char) => {
					const { url, headers } = await signUrl(access(), input, NOW)
					const index = ORIGIN.length + (at % (url.length - ORIGIN.length))
					const tampered = url.slice(0, index) + char + url.slice(index + 1)
					const isSame = requestIn(tampered) === requestIn(url)
					if (!isSame) changedRequests++
					expect(await isAccepted(input.method, tampered, headers)).toBe(isSame)
				},
			),
			{ numRuns: runs },
		)
		expect(changedRequests).toBeGreaterThan(0.75 * runs)
	})

	it('a SigV4 signature is rejected when one digit is changed, added or removed', async () => {
		const { url } = await signUrl(
			access(),
			{ method: 'GET', bucket: 'vault', key: 'a', expiresSeconds: 60, query: {}, headers: {} },
			NOW,
		)
		const at = url.length - 64
		for (let i = at; i < url.length; i++) {
			const other = url[i] === '0' ? '1' : '0'
			expect(await isAccepted('GET', url.slice(0, i) + other + url.slice(i + 1), {})).toBe(false)
		}
		for (const wrong of [
			url.slice(0, -1),
			`${url}0`,
			url.slice(0, at),
			url.slice(0, at) + url.slice(at).toUpperCase(),
		])
			expect(await isAccepted('GET', wrong, {})).toBe(false)
	})

	it('a SigV4 signature is rejected for another method or another value of a signed header', async () => {
		await fc.assert(
			fc.asyncProperty(
				request,
				fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'),
				async (input, method) => {
					const { url, headers } = await signUrl(access(), input, NOW)
					expect(await isAccepted(method, url, headers)).toBe(method === input.method)
					for (const [name, value] of Object.entries(headers)) {
						expect(await isAccepted(input.method, url, { ...headers, [name]: `${value}x` })).toBe(false)
						const { [name]: _, ...others } = headers
						expect(await isAccepted(input.method, url, others)).toBe(false)
					}
				},
			),
			{ numRuns: propertyRuns(100) },
		)
	})

	it('a SigV4 signature is rejected for another secret, region or access key id', async () => {
		const input = {
			method: 'GET',
			bucket: 'vault' as const,
			key: 'a',
			expiresSeconds: 60,
			query: {},
			headers: {},
		}
		for (const change of [{ secretAccessKey: 'another' }, { region: 'eu' }, { accessKeyId: 'else' }]) {
			const { url } = await signUrl({ ...access(), ...change }, input, NOW)
			expect(await isAccepted('GET', url, {})).toBe(false)
		}
	})

	it('a SigV4 signature is rejected when a query parameter is repeated, unnamed or added', async () => {
		const { url } = await signUrl(
			access(),
			{
				method: 'GET',
				bucket: 'vault',
				key: 'a',
				expiresSeconds: 60,
				query: { 'response-content-type': 'text/plain' },
				headers: {},
			},
			NOW,
		)
		for (const more of [
			'response-content-type=text/html',
			'X-Amz-Expires=604800',
			'=x',
			'X-Amz-Security-Token=t',
			'more=1',
		])
			expect(await isAccepted('GET', `${url}&${more}`, {})).toBe(false)
	})
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
	findRefusedPage,
	formatFrameAncestors,
	readEmbedDomains,
} from '../../../../edge/watch/settings/embed-domains.ts'

describe('embedding domains', () => {
	test('embedding domains are stored in lower case and Punycode, each once', () => {
		expect(readEmbedDomains([' Example.ORG ', 'example.org', '*.Bücher.example', 'bücher.example'])).toEqual([
			'example.org',
			'*.xn--bcher-kva.example',
			'xn--bcher-kva.example',
		])
	})

	test.each([
		'',
		'*',
		'*.',
		'*.org',
		'**.example.org',
		'*.*.example.org',
		'a.*.example.org',
		'*example.org',
		'localhost',
		'127.0.0.1',
		'[::1]',
		'https://example.org',
		'example.org:8080',
		'example.org/path',
		'example.org.',
		"example.org 'unsafe-inline'",
		'example.org; script-src *',
		'a.example\nb.example',
		'user@example.org',
	])('an embedding domain can’t be %j', (text) => {
		expect(() => readEmbedDomains([text])).toThrow('allowedEmbedDomains.0: must be a host name')
	})
})

describe('the directive frame-ancestors', () => {
	test('frame-ancestors allows every page, or the player’s own host and those of the list', () => {
		expect(formatFrameAncestors([], ['https://video.example'])).toBe('*')
		expect(formatFrameAncestors(['example.org', '*.example.org'], ['https://video.example'])).toBe(
			"'self' https://video.example example.org *.example.org",
		)
	})

	test('frame-ancestors contains no character that could end it, whatever is stored', () => {
		const text = fc.oneof(fc.string(), fc.constantFrom('a.b; script-src *', "'none'", 'a.b,c.d', 'a.b c.d'))
		fc.assert(
			fc.property(fc.array(text), (domains) => {
				expect(formatFrameAncestors(domains, [])).toMatch(/^(\*|'self'( (\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+)*)$/)
			}),
		)
	})
})

describe('a request for a playlist', () => {
	const own = new Set(['play.example'])
	const domains = ['example.org', '*.school.example']
	const refused = (headers: Record<string, string>, list = domains) =>
		findRefusedPage(new Headers(headers), list, own)

	test.each<[what: string, headers: Record<string, string>]>([
		['without a page, as of a native player', {}],
		['with empty headers', { origin: '', referer: '' }],
		['of an allowed page', { origin: 'https://example.org', referer: 'https://example.org/lesson' }],
		['of an allowed page on another port', { origin: 'http://example.org:8080' }],
		['of a subdomain', { referer: 'https://a.b.school.example/' }],
		['of the player itself', { origin: 'https://play.example' }],
	])('a request for a playlist %s is accepted', (_, headers) => {
		expect(refused(headers)).toBeNull()
	})

	test.each<[headers: Record<string, string>, page: string]>([
		[{ origin: 'https://evil.example' }, 'evil.example'],
		[{ referer: 'https://evil.example/example.org' }, 'evil.example'],
		[{ origin: 'https://example.org', referer: 'https://evil.example/' }, 'evil.example'],
		[{ origin: 'https://evil.example', referer: 'https://example.org/' }, 'evil.example'],
		[{ origin: 'https://www.example.org' }, 'www.example.org'],
		[{ origin: 'https://school.example' }, 'school.example'],
		[{ origin: 'https://evilschool.example' }, 'evilschool.example'],
		[{ origin: 'https://example.org.evil.example' }, 'example.org.evil.example'],
		[{ origin: 'https://example.org@evil.example' }, 'evil.example'],
		[{ origin: 'null' }, 'an unknown page'],
		[{ origin: 'file://' }, 'an unknown page'],
		[{ referer: 'example.org' }, 'an unknown page'],
	])('a request for a playlist with %j is refused', (headers, page) => {
		expect(refused(headers)).toBe(page)
		expect(refused(headers, [])).toBeNull()
	})
})

import { expect, test } from 'vitest'
import { splitLinks } from '../../../../edge/watch/player/watch-page/safe-links.ts'

const linksOf = (text: string) => splitLinks(text).flatMap(({ url }) => (url === null ? [] : [url]))

test.each([
	['See https://example.org/a.', ['https://example.org/a']],
	[
		'(https://example.org/a_(b)), http://two.example/?q=1!',
		['https://example.org/a_(b)', 'http://two.example/?q=1'],
	],
	['javascript:alert(1) data:text/html,x //example.org www.example.org', []],
	['https://example.org@evil.example/ https://', []],
	['<a href="https://example.org/">', ['https://example.org/']],
	['https://example.org/\nhttps://example.org/two', ['https://example.org/', 'https://example.org/two']],
])('the links in %j are web addresses without what follows them', (text, links) => {
	expect(linksOf(text)).toEqual(links)
})

test('splitting a text into links loses none of its characters', () => {
	const text = 'One https://example.org/a, two\n(https://example.org) https:// end'
	expect(
		splitLinks(text)
			.map((part) => part.text)
			.join(''),
	).toBe(text)
})

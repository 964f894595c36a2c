import { describe, expect, test } from 'vitest'
import { toCanonicalHost } from '../../../../edge/platform/network/host-name.ts'

describe('host names', () => {
	test.each([
		['club.example.org', 'club.example.org'],
		[' Club.Example.ORG ', 'club.example.org'],
		['bücher.example', 'xn--bcher-kva.example'],
		['club。example。org', 'club.example.org'],
		['ｃｌｕｂ.example', 'club.example'],
		['a.xn--p1ai', 'a.xn--p1ai'],
	])('a host name %j becomes the host %s', (text, host) => {
		expect(toCanonicalHost(text)).toBe(host)
	})

	test.each([
		'',
		'localhost',
		'club',
		'.',
		'a..b.example',
		'.example.org',
		'-a.example',
		'a-.example',
		'_a.example',
		'club.example.org.',
		'club.example.org:8080',
		'https://club.example.org',
		'club.example.org/x',
		'a@b.example',
		'a.example?x',
		'a.example#x',
		'a.example\\x',
		'a b.example',
		'a%2eexample.org',
		'127.0.0.1',
		'127.1',
		'0x7f.1',
		'2130706433',
		'1.2.3.4.5',
		'[::1]',
		'::1',
		'a.0x7f',
		'example.123',
		'xn--.example',
		'xn--bcher-kva.xn--',
		'\u00ad.example',
		'*.example.org',
		`${'a'.repeat(64)}.example`,
		`${'a.'.repeat(120)}example`,
	])('an invalid host name %j is rejected', (text) => {
		expect(toCanonicalHost(text)).toBeNull()
	})
})

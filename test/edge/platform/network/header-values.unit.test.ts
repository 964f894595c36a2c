import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
	buildUrl,
	formatAttachmentHeader,
	formatLinkHeader,
	toHeaderText,
} from '../../../../edge/platform/network/header-values.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const hostile = fc.oneof(
	fc.constantFrom(
		'\r\nSet-Cookie: a=b',
		'"; rel="stylesheet',
		'>; rel="preload"',
		'..',
		'.',
		'',
		'\ud800',
		'%0d%0a',
		'\u2028',
	),
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.string({ unit: fc.constantFrom('"', '\\', '<', '>', ';', ',', '\r', '\n', '\0', '/', '?', '#', 'a') }),
)
const asHeader = (value: string) => new Headers({ 'x-value': value }).get('x-value')

test('no text can end its HTTP header value or its quotes', () => {
	fc.assert(
		fc.property(hostile, hostile, (text, other) => {
			const link = formatLinkHeader(`https://edge.test/${text}`, { rel: 'next' })
			expect(asHeader(link)).toMatch(/^<https:\/\/edge\.test\/[^<>"\s\p{Cc}]*>; rel="next"$/u)
			expect(asHeader(formatAttachmentHeader(text))).toMatch(
				/^attachment; filename="[^"\\\p{Cc}]*"(; filename\*=UTF-8''[\w.!#$&+^`|~%-]*)?$/u,
			)
			let quoted: string
			try {
				quoted = formatLinkHeader('/', { title: other })
			} catch (error) {
				expect(error).toBeInstanceOf(RangeError)
				return
			}
			expect(asHeader(quoted)).toMatch(/^<\/>; title="([^"\\]|\\.)*"$/)
		}),
		{ numRuns: propertyRuns(500) },
	)
})

test('no text can leave its segment or query value of a URL', () => {
	fc.assert(
		fc.property(hostile, hostile, (segment, value) => {
			let address: string
			try {
				address = buildUrl('https://edge.test', ['v1', segment, 'end'], { value })
			} catch (error) {
				expect(error).toBeInstanceOf(RangeError)
				return
			}
			const { pathname, searchParams, origin, hash } = new URL(address)
			expect([origin, hash, [...searchParams.keys()]]).toEqual(['https://edge.test', '', ['value']])
			expect(searchParams.get('value')).toBe(value.toWellFormed())
			expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'v1', segment, 'end'])
		}),
		{ numRuns: propertyRuns(500) },
	)
})

test('an HTTP header value that is not printable ASCII is rejected', () => {
	for (const value of ['', 'a\r\nb', 'é', '\t', '\x7f']) expect(() => toHeaderText(value)).toThrow(RangeError)
})

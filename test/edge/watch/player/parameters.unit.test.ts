import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSeconds, parseTitle, readParameters } from '../../../../edge/watch/player/parameters.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import { hostileText } from './sharing/hostile-text.ts'

const defaults = { autoplay: false, muted: false, captions: false, controls: true }
const read = (query: string | Record<string, string>, more = {}) =>
	readParameters(new URLSearchParams(query), { ...defaults, ...more })
const startOf = (query: string, more = {}) => read(query, more).start

describe('the parameters of a page', () => {
	test('the parameters of a player page have defaults', () => {
		expect(read('')).toEqual({
			color: null,
			title: null,
			language: null,
			token: undefined,
			start: {
				startSec: null,
				endSec: null,
				autoplay: false,
				muted: null,
				mutedByDefault: false,
				loop: false,
				controls: true,
				captions: false,
				speed: null,
				preload: 'metadata',
				keys: true,
				preview: false,
			},
		})
	})

	test('the parameters of a player page are read from the address', () => {
		const query =
			'color=%23FF8800&title=My+film&lang=de&token=a.b&t=1m3s&end=2m&autoplay&muted=1&loop=true&controls=0&cc=de-AT&speed=1.5&preload=none&keys=false&preview'
		expect(read(query)).toEqual({
			color: '#ff8800',
			title: 'My film',
			language: 'de',
			token: 'a.b',
			start: {
				startSec: 63,
				endSec: 120,
				autoplay: true,
				muted: true,
				mutedByDefault: false,
				loop: true,
				controls: false,
				captions: 'de-AT',
				speed: 1.5,
				preload: 'none',
				keys: false,
				preview: true,
			},
		})
	})

	test('the parameters of a player page accept the names that snippets of other players use', () => {
		expect(read('accent-color=ABCDEF&start-time=12')).toMatchObject({
			color: '#abcdef',
			start: { startSec: 12 },
		})
		expect(read('accent-color=000000&color=ffffff&start-time=1&t=2')).toMatchObject({
			color: '#ffffff',
			start: { startSec: 2 },
		})
	})

	test('the parameters of a player page override the defaults of the organization, in both directions', () => {
		const all = { autoplay: true, muted: true, captions: true, controls: false }
		const { muted, ...others } = all
		expect(startOf('', all)).toMatchObject({ ...others, muted: null, mutedByDefault: muted })
		expect(startOf('autoplay=0&muted=false&cc=0&controls', all)).toMatchObject(defaults)
		expect(startOf('autoplay=1&muted=true&cc&controls=0')).toMatchObject(all)
	})

	test.each([
		...['color=red', 'color=%23fff', 'color=%23ff00001', 'color=', 'color=%23ff000g', 'color=%23ff0000%0a'],
		...['t=-1', 't=1e3', 't=', 't=x', 't=1m3', 't=NaN', 't=Infinity', 't=%20', 't=1:2:3:4', 't=999999999'],
		...['end=0', 'end=-5', 'end=x'],
		...['autoplay=yes', 'muted=2', 'loop=on', 'keys=no', 'preview=yes', 'controls=none'],
		...['cc=english!', 'cc=a', 'cc=de_AT', 'cc=%3Cb%3E'],
		...[
			'speed=',
			'speed=0',
			'speed=0.2',
			'speed=2.1',
			'speed=-1',
			'speed=fast',
			'speed=NaN',
			'speed=Infinity',
		],
		...['preload=all', 'preload=', 'title=', 'title=%20%0a', 'unknown=1'],
	])('the parameters of a player page ignore an invalid value: %s', (query) => {
		if (query === 't=1m3') expect(startOf(query).startSec).toBe(63)
		else expect(read(query)).toEqual(read(''))
	})

	test('the parameters of a player page ignore an end that is not after the start', () => {
		expect(startOf('t=10&end=10').endSec).toBeNull()
		expect(startOf('t=10&end=10.5').endSec).toBe(10.5)
	})

	test('the parameters of a player page are within their limits, whatever the address is', () => {
		const name = fc.constantFrom(
			...['color', 'accent-color', 'title', 't', 'start-time', 'end', 'autoplay', 'muted', 'loop'],
			...['controls', 'cc', 'speed', 'preload', 'keys', 'preview', 'lang', 'token', '__proto__'],
		)
		const value = fc.oneof(
			fc.string({ unit: 'binary', maxLength: 300 }),
			hostileText,
			fc.double().map(String),
			fc.constantFrom('1', '0', 'true', 'auto', 'de-AT', '1h2m3s', '1:02:03', '#4f46e5'),
		)
		fc.assert(
			fc.property(fc.array(fc.tuple(name, value), { maxLength: 10 }), (entries) => {
				const { color, title, start } = readParameters(new URLSearchParams(entries), defaults)
				if (color !== null) expect(color).toMatch(/^#[0-9a-f]{6}$/)
				if (title !== null) {
					expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u)
					expect([...title].length).toBeLessThanOrEqual(200)
					expect(title.trim()).not.toBe('')
				}
				for (const sec of [start.startSec, start.endSec])
					if (sec !== null) {
						expect(sec).toBeGreaterThanOrEqual(0)
						expect(sec).toBeLessThan(200_000_000)
					}
				if (start.endSec !== null) expect(start.endSec).toBeGreaterThan(start.startSec ?? 0)
				expect(start.speed ?? 1).toBeGreaterThanOrEqual(0.25)
				expect(start.speed ?? 1).toBeLessThanOrEqual(2)
				expect(['none', 'metadata', 'auto']).toContain(start.preload)
				for (const flag of [start.autoplay, start.muted ?? false, start.loop, start.controls, start.keys])
					expect(flag).toBeTypeOf('boolean')
				if (typeof start.captions === 'string') expect(start.captions).toMatch(/^[a-z0-9-]{2,30}$/i)
			}),
			{ numRuns: propertyRuns(200) },
		)
	})
})

test.each([
	['0', 0],
	['93', 93],
	['93.5', 93.5],
	['93s', 93],
	['1m33s', 93],
	['1M33S', 93],
	['2h', 7_200],
	['1h2m3s', 3_723],
	['1h3s', 3_603],
	['1:33', 93],
	['1:02:03.5', 3_723.5],
	['100:00', 6_000],
])('the time %s in an address is %d seconds', (text, seconds) => {
	expect(parseSeconds(text)).toBe(seconds)
})

test('a title is one line of at most 200 characters, and no character is split', () => {
	expect(parseTitle('  a\u0000\u001b[31m\r\n b\u2028c\u2029 ')).toBe('a [31m  b c')
	expect(parseTitle('🎬'.repeat(201))).toBe('🎬'.repeat(200))
	expect(parseTitle('a\ud83c')).toBe('a\ufffd')
})

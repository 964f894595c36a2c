import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeCalendar } from '../../../../edge/community/calendar/icalendar.ts'

const plain = {
	id: 1,
	title: 'Talk',
	description: '',
	startsAt: 0,
	endsAt: 0,
	updatedAt: 0,
	inPersonLocation: null,
	virtualUrl: null,
}
/** Returns the unfolded lines of a calendar. */
const linesOf = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

const hostile = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({
		unit: fc.constantFrom(
			...'\r\n\t\u0000\u000b\u000c\u001b\u007f\u0085\u2028\u2029\ud800 :;,\\"é👩‍🚀aB'.split(''),
			'BEGIN:VALARM',
			'\r\nATTACH:x',
		),
	}),
)
const address = hostile.map((text) => `https://meet.example/${text}`)

describe('iCalendar output', () => {
	test('iCalendar output has no control characters or injected lines for random values', () => {
		const names = linesOf(
			writeCalendar('Club', 'h', [
				{ ...plain, description: 'x', inPersonLocation: 'x', virtualUrl: 'https://a.test' },
			]),
		).map((line) => line.split(':')[0])
		fc.assert(
			fc.property(hostile, hostile, hostile, hostile, address, (name, title, description, place, url) => {
				const event = { ...plain, title, description: `x${description}` }
				const text = writeCalendar(name, 'h', [{ ...event, inPersonLocation: `x${place}`, virtualUrl: url }])
				expect(text.replaceAll('\r\n', '').replaceAll('\t', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
				expect(text.isWellFormed()).toBe(true)
				for (const line of text.split('\r\n'))
					expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75)
				expect(linesOf(text).map((line) => line.split(':')[0])).toEqual(names)
			}),
		)
	})

	test.each([
		['https://meet.example/a\r\nATTENDEE:x', 'URL:https://meet.example/aATTENDEE:x'],
		[
			'https://meet.example/\u000b\u001b\u0085\u2028é x',
			'URL:https://meet.example/%0B%1B%C2%85%E2%80%A8%C3%A9%20x',
		],
		['https://meet.example/?a;b,c', 'URL:https://meet.example/?a;b,c'],
	])('iCalendar output removes or encodes forbidden characters in the URL %j', (virtualUrl, line) => {
		expect(linesOf(writeCalendar('Club', 'h', [{ ...plain, virtualUrl }]))).toContain(line)
	})

	test.each([
		['lasts no time', 0, false],
		['lasts less than a second', 999, false],
		['lasts a second', 1_000, true],
	])(
		'iCalendar output has DTEND only for an event of at least a second: one that %s',
		(_, durationMs, isWritten) => {
			const startsAt = Date.UTC(2027, 0, 1)
			const event = { ...plain, startsAt, endsAt: startsAt + durationMs }
			const ends = linesOf(writeCalendar('Club', 'h', [event])).filter((line) => line.startsWith('DTEND'))
			expect(ends).toEqual(isWritten ? ['DTEND:20270101T000001Z'] : [])
		},
	)

	test.each(['javascript:alert(1)', 'not an address', ''])(
		'iCalendar output omits the invalid URL %j',
		(virtualUrl) => {
			const text = writeCalendar('Club', 'h', [{ ...plain, virtualUrl }])
			expect(text).not.toContain('\nURL:')
		},
	)
})

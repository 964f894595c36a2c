import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boundRecord, mergeRecords } from '../../../../../edge/watch/analytics/sums/records.ts'
import { sumSession } from '../../../../../edge/watch/analytics/sums/session-sums.ts'
import {
	addAllSums,
	addSums,
	boundSums,
	emptySums,
	type Sums,
} from '../../../../../edge/watch/analytics/sums/sums.ts'
import { makeSession } from './arbitrary-sessions.ts'

const plus = (a: number, b: number) => a + b
const minus = (a: number, b: number) => a - b
const totalOf = (record: Record<string, number>) => Object.values(record).reduce(plus, 0)

const hostileKeys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

const viewFrom = (referrer: string | null, watchedMs = 5_000): Sums =>
	sumSession(
		makeSession(
			{ watchedMs, played: [0, 50], error: referrer },
			{ place: { device: 'tv', browser: referrer ?? 'x', country: 'DE', referrer, player: 'embed' } },
		),
		10_000,
	)

describe('keys from outside', () => {
	test.each(hostileKeys)('the key %s of a breakdown is counted like any other', (key) => {
		const once = viewFrom(key)
		const twice = boundSums(addSums(addSums(emptySums(10_000), once), viewFrom(key)))
		for (const name of ['browser', 'referrer'] as const)
			expect(Object.entries(twice.by[name])).toEqual([[key, { views: 2, watchedMs: 10_000 }]])
		expect(Object.entries(twice.by.error)).toEqual([[key, 2]])
		const stored: Sums = JSON.parse(JSON.stringify(once))
		expect(JSON.stringify(addSums(stored, stored))).toBe(JSON.stringify(twice))
		expect(({} as Record<string, unknown>).views).toBeUndefined()
		expect(Object.prototype).not.toHaveProperty('views')
	})

	test('a missing country or referrer has a key of its own', () => {
		expect(viewFrom(null).by.referrer).toEqual({ direct: { views: 1, watchedMs: 5_000 } })
	})
})

describe('hours of the day', () => {
	const viewAt = (startedAt: number): Sums =>
		sumSession(makeSession({ watchedMs: 5_000, played: [0, 50] }, { startedAt }), 10_000)

	test('the breakdown by hour of the day uses the UTC hour in which a session began', () => {
		const views = [0, 59, 60, 60 * 24, 60 * 47].map((minute) => viewAt(minute * 60_000))
		expect(addAllSums(views, 10_000).by.hour).toEqual({
			'00': { views: 3, watchedMs: 15_000 },
			'01': { views: 1, watchedMs: 5_000 },
			'23': { views: 1, watchedMs: 5_000 },
		})
	})
})

describe('merged records', () => {
	test('merged records have sorted keys, so that equal records have equal JSON', () => {
		expect(JSON.stringify(mergeRecords({ b: 1 }, { c: 4, a: 2, b: 3 }, plus))).toBe('{"a":2,"b":4,"c":4}')
	})
})

describe('bounded sums', () => {
	test('bounded sums keep up to 100 keys', () => {
		const sums = addAllSums(
			Array.from({ length: 100 }, (_, at) => viewFrom(`host-${at}`)),
			10_000,
		)
		expect(boundSums(sums)).toEqual(sums)
	})

	test('bounded sums keep the 99 keys with most views, then most watch time, and add up the others', () => {
		const hosts = Array.from({ length: 150 }, (_, at) =>
			viewFrom(`host-${String(at).padStart(3, '0')}`, 1_000 + at),
		)
		const often = viewFrom('often', 0)
		const sums = addAllSums([...hosts, often, often, viewFrom('other', 7)], 10_000)
		const { referrer, browser, error } = boundSums(sums).by
		const kept = Array.from({ length: 98 }, (_, at) => `host-${String(at + 52).padStart(3, '0')}`)
		expect(Object.keys(referrer)).toEqual([...kept, 'often', 'other'].toSorted())
		expect(browser).toEqual(referrer)
		expect(referrer['host-149']).toEqual({ views: 1, watchedMs: 1_149 })
		expect(referrer.often).toEqual({ views: 2, watchedMs: 0 })
		// Hosts 0 to 51, and the host that is really called other.
		expect(referrer.other).toEqual({ views: 53, watchedMs: 52 * 1_000 + (51 * 52) / 2 + 7 })
		expect(Object.keys(error)).toHaveLength(100)
		expect(error.often).toBe(2)
		expect(totalOf(error)).toBe(153)
	})

	test('bounding sums changes nothing but the breakdowns', () => {
		const sums = addAllSums(
			Array.from({ length: 150 }, (_, at) => viewFrom(`host-${at}`)),
			10_000,
		)
		expect({ ...boundSums(sums), by: null }).toEqual({ ...sums, by: null })
	})

	test('bounded sums have the same totals, at most the allowed keys, and are the same if bounded again', () => {
		const key = fc.oneof(fc.constantFrom(...hostileKeys, 'other'), fc.string({ maxLength: 3 }))
		const entries = fc.array(fc.tuple(key, fc.integer({ min: 1, max: 9 })), { maxLength: 30 })
		fc.assert(
			fc.property(entries, fc.integer({ min: 1, max: 12 }), (list, maxKeys) => {
				const record = list.reduce<Record<string, number>>(
					(all, entry) => mergeRecords(all, Object.fromEntries([entry]), plus),
					{},
				)
				const bounded = boundRecord(record, maxKeys, plus, minus)
				expect(Object.keys(bounded).length).toBeLessThanOrEqual(maxKeys)
				expect(totalOf(bounded)).toBe(totalOf(record))
				expect(JSON.stringify(boundRecord(bounded, maxKeys, plus, minus))).toBe(JSON.stringify(bounded))
				const dropped = Object.entries(record).filter(([name]) => !Object.hasOwn(bounded, name))
				const kept = Object.entries(bounded).filter(([name]) => name !== 'other')
				const largestDropped = Math.max(0, ...dropped.map(([, value]) => value))
				expect(Math.min(Number.POSITIVE_INFINITY, ...kept.map(([, value]) => value))).toBeGreaterThanOrEqual(
					largestDropped,
				)
			}),
		)
	})
})

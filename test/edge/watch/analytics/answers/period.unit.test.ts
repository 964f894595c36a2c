import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPeriod } from '../../../../../edge/watch/analytics/answers/period.ts'

const NOW = Date.parse('2037-11-21T12:30:00Z')
const DAY = 86_400_000

const read = (query: Partial<Parameters<typeof readPeriod>[0]>) => {
	const { period, before } = readPeriod({ period: '30d', ...query }, NOW)
	return {
		...period,
		from: new Date(period.from).toISOString(),
		to: new Date(period.to).toISOString(),
		before: new Date(before.from).toISOString(),
	}
}

describe('a period', () => {
	test('a period of analytics consists of whole hours or days, including the current one', () => {
		expect(read({ period: '24h' })).toEqual({
			from: '2037-11-20T12:00:00.000Z',
			to: '2037-11-21T13:00:00.000Z',
			before: '2037-11-19T11:00:00.000Z',
			granularity: 'hour',
		})
		expect(read({ period: '7d' })).toMatchObject({
			from: '2037-11-14T00:00:00.000Z',
			to: '2037-11-22T00:00:00.000Z',
			before: '2037-11-06T00:00:00.000Z',
		})
	})

	test('a period of analytics has whole days where hours are merged, and whole months where days are', () => {
		expect(read({ from: '2037-11-01T06:00:00Z', to: '2037-11-01T18:00:00Z' })).toMatchObject({
			from: '2037-11-01T00:00:00.000Z',
			to: '2037-11-02T00:00:00.000Z',
			before: '2037-10-31T00:00:00.000Z',
		})
		expect(read({ from: '2025-02-10T00:00:00Z', to: '2025-03-10T00:00:00Z' })).toMatchObject({
			from: '2025-02-01T00:00:00.000Z',
			to: '2025-04-01T00:00:00.000Z',
			before: '2024-12-01T00:00:00.000Z',
		})
	})

	test('a period of analytics may cover all time, and ends at the latest a day from now', () => {
		expect(read({ period: 'all' })).toMatchObject({ from: '1970-01-01T00:00:00.000Z', granularity: 'day' })
		expect(read({ to: '9999-12-31T23:59:59Z' }).to).toBe('2037-11-23T00:00:00.000Z')
		expect(read({ from: '0001-01-01T00:00:00Z' })).toMatchObject({
			from: '1970-01-01T00:00:00.000Z',
			before: '1970-01-01T00:00:00.000Z',
		})
	})

	test('a period of analytics that begins in the future is rejected', () => {
		expect(() => read({ from: '2037-11-21T12:30:00Z' })).toThrow('from: must be in the past')
		expect(() => read({ from: '2038-01-01T00:00:00Z', to: '2028-01-01T00:00:00Z' })).toThrow(
			'must be in the past',
		)
	})

	test('a period of analytics and the one before do not overlap', () => {
		const instant = fc
			.integer({ min: NOW - 600 * DAY, max: NOW + DAY })
			.map((at) => new Date(at).toISOString())
		fc.assert(
			fc.property(instant, instant, fc.constantFrom('hour' as const, 'day' as const), (a, b, granularity) => {
				const [from, to] = [a, b].toSorted() as [string, string]
				fc.pre(from < to && Date.parse(from) < NOW)
				const { period, before } = readPeriod({ period: '30d', from, to, granularity }, NOW)
				expect(before.from).toBeLessThan(before.to)
				expect(before.to).toBe(period.from)
				expect(period.from).toBeLessThan(period.to)
				// What is kept by day or month is a part as a whole.
				for (const edge of [before.from, period.from, period.to])
					if (edge < NOW - 3 * DAY) expect(edge % DAY).toBe(0)
			}),
		)
	})
})

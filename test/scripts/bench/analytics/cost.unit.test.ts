import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
	measureCostRows,
	measureHourlyAmounts,
	measureThousandViews,
	toDollars,
} from '../../../../scripts/bench/analytics/cost.ts'

const text = readFileSync(join(import.meta.dirname, '../../../../docs/watch/analytics-cost.md'), 'utf8')
const written = text.split('\n').map((line) =>
	line
		.split('|')
		.map((cell) => cell.replaceAll('*', '').trim())
		.join('|'),
)

test('the tables of docs/watch/analytics-cost.md equal the counted operations and the prices', () => {
	for (const row of measureCostRows())
		expect(written.filter((line) => line.endsWith(`|${row.join('|')}|`))).toHaveLength(1)
})

test('the cost of a viewer does not grow with the crowd, and all parts add up', () => {
	const eachOf = (viewers: number) => toDollars(measureHourlyAmounts(viewers)).total / viewers
	expect(eachOf(1_000_000)).toBeLessThan(eachOf(1_000))
	const { total, ...parts } = toDollars(measureThousandViews('hot'))
	expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 10)
})

import { expect, test } from 'vitest'
import { RecentValues } from '../../../edge/platform/recent-values.ts'

const kept = (values: RecentValues<number>) =>
	['a', 'b', 'c', 'd'].filter((key) => values.get(key) !== undefined)

test('drops the least recently used value when the weight is exceeded', () => {
	const values = new RecentValues<number>(10)
	values.set('a', 1, 4)
	values.set('b', 2, 4)
	values.get('a')
	values.set('c', 3, 5)
	expect(kept(values)).toEqual(['a', 'c'])
	values.set('d', 4, 10)
	expect(kept(values)).toEqual(['d'])
})

test('keeps no value that is too heavy alone, and counts a replaced value once', () => {
	const values = new RecentValues<number>(10)
	values.set('a', 1, 6)
	values.set('a', 2, 6)
	values.set('b', 3, 4)
	values.set('c', 4, 11)
	expect(kept(values)).toEqual(['a', 'b'])
	expect(values.get('a')).toBe(2)
})

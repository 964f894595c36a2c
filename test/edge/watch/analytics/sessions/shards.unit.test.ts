import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
	chooseLevel,
	findShardAtLevel,
	ROOT,
} from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'

test('a split of a video divides each shard in two', () => {
	fc.assert(
		fc.property(fc.string(), fc.integer({ min: 1, max: 10 }), (id, level) => {
			const { index } = findShardAtLevel(id, level)
			expect(findShardAtLevel(id, level - 1).index).toBe(index >>> 1)
			expect(index).toBeLessThan(2 ** level)
		}),
	)
	expect(findShardAtLevel('any', 0)).toEqual(ROOT)
})

test('sessions spread evenly over shards, even with similar ids', () => {
	const counts = Array.from({ length: 16 }, () => 0)
	for (let k = 0; k < 16_000; k++) {
		const { index } = findShardAtLevel(`session-${k}`, 4)
		counts[index] = (counts[index] ?? 0) + 1
	}
	for (const count of counts) expect(count).toBeGreaterThan(850)
})

test('a video is split when many watch or many start', () => {
	expect(chooseLevel({ viewers: 5_000, startsPerSecond: 200 })).toBe(0)
	expect(chooseLevel({ viewers: 5_001, startsPerSecond: 0 })).toBe(1)
	expect(chooseLevel({ viewers: 100, startsPerSecond: 16_667 })).toBe(7)
	expect(chooseLevel({ viewers: 1_000_000, startsPerSecond: 0 })).toBe(8)
	expect(chooseLevel({ viewers: 1e9, startsPerSecond: 1e9 })).toBe(10)
})

import { expect, test } from 'vitest'
import { sortForEviction } from '../../../transcoder-daemon/sources/source-cache.ts'

const order = (entries: Record<string, { users: number; usedAt: number }>) =>
	sortForEviction(Object.entries(entries)).map(([key]) => key)

test('the source cache evicts the least recently used source first', () => {
	const [old, older, oldest] = [30, 20, 10].map((usedAt) => ({ users: 0, usedAt }))
	if (!old || !older || !oldest) throw new Error('unreachable')
	expect(order({ older, old, oldest })).toEqual(['oldest', 'older', 'old'])
})

test('the source cache does not evict a source in use', () => {
	expect(order({ used: { users: 1, usedAt: 1 }, unused: { users: 0, usedAt: 2 } })).toEqual(['unused'])
})

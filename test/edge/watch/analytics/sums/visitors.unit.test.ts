import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digits } from '../../../../../edge/watch/analytics/sums/digits.ts'
import {
	addVisitor,
	countVisitors,
	mergeVisitors,
	noVisitors,
	type Visitors,
} from '../../../../../edge/watch/analytics/sums/visitors.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

/** Returns uniform hashes that depend only on the seed. */
function hashesOf(seed: number, count: number): string[] {
	let state = seed
	const next32Bits = () => {
		state = (state + 0x9e3779b9) | 0
		let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
		mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
		return (mixed ^ (mixed >>> 15)) >>> 0
	}
	const hex = () => next32Bits().toString(16).padStart(8, '0')
	return Array.from({ length: count }, () => hex() + hex())
}

/** Merges halves, which is faster than one visitor after the other. */
function sketchOf(hashes: readonly string[]): Visitors {
	if (hashes.length <= 1) return hashes.reduce(addVisitor, noVisitors)
	const middle = Math.floor(hashes.length / 2)
	return mergeVisitors(sketchOf(hashes.slice(0, middle)), sketchOf(hashes.slice(middle)))
}

/** The registers by their definition, written bit by bit. */
function naiveRegisters(hashes: readonly string[]): number[] {
	const registers = Array<number>(4_096).fill(0)
	for (const hash of hashes) {
		const bits = BigInt(`0x${hash}`).toString(2).padStart(64, '0')
		const register = Number.parseInt(bits.slice(0, 12), 2)
		const rank = bits.slice(12).includes('1') ? bits.slice(12).indexOf('1') + 1 : 53
		registers[register] = Math.max(registers[register] ?? 0, rank)
	}
	return registers
}

describe('counting visitors', () => {
	test('an empty sketch of visitors counts none', () => {
		expect(countVisitors(noVisitors)).toBe(0)
	})

	test('a visitor who is added twice counts once', () => {
		const once = addVisitor(noVisitors, '0123456789abcdef')
		expect(countVisitors(once)).toBe(1)
		expect(addVisitor(once, '0123456789abcdef')).toBe(once)
		expect(addVisitor(once, '0123456789ABCDEF')).toBe(once)
	})

	test('visitors who differ in 24 bits or in the zeros after them are distinguished', () => {
		const hashes = [
			'0123456789abcdef',
			'0123466789abcdef',
			'0123450089abcdef',
			'0123450000000001',
			'0123450000000000',
		]
		expect(countVisitors(sketchOf(hashes))).toBe(5)
	})

	test('the count of up to 819 visitors is exact, in five characters for each', () => {
		for (const [seed, count] of [1, 2, 10, 50, 200, 819].entries()) {
			const sketch = sketchOf(hashesOf(seed, count))
			expect(countVisitors(sketch)).toBe(count)
			expect(sketch).toHaveLength(5 * count)
		}
	})

	test.each([
		[1_000, 5],
		[3_000, 5],
		[10_000, 5],
		[20_000, 3],
		[100_000, 1],
	])('the count of %d visitors is within three standard errors', (count, seeds) => {
		const errors = Array.from({ length: seeds }, (_, seed) => {
			const sketch = sketchOf(hashesOf(count + seed, count))
			expect(sketch).toHaveLength(4_096)
			return countVisitors(sketch) / count - 1
		})
		for (const error of errors) expect(Math.abs(error)).toBeLessThan((3 * 1.04) / Math.sqrt(4_096))
	})

	test('the count has no jump where a sketch becomes dense', () => {
		const hashes = hashesOf(1, 820)
		const sparse = sketchOf(hashes.slice(1))
		const dense = addVisitor(sparse, hashes[0] ?? '')
		expect([sparse.length, dense.length]).toEqual([4_095, 4_096])
		expect(countVisitors(sparse)).toBe(819)
		expect(Math.abs(countVisitors(dense) - 820)).toBeLessThan(30)
	})

	test.each(['', '0123456789abcde', '0123456789abcdef0', '0123456789abcdeg', '-123456789abcdef'])(
		'the visitor %j is rejected, as it is no hash of 64 bits',
		(hash) => {
			expect(() => addVisitor(noVisitors, hash)).toThrow('16 hexadecimal digits')
		},
	)
})

/** Hashes with long runs of zeros after 12, 24 and more bits, in few registers. */
const rareHashes = fc.tuple(fc.nat(3), fc.nat(52), fc.boolean()).map(([register, ones, isOnlyBit]) => {
	const rest = ones === 0 ? 0n : isOnlyBit ? 1n << BigInt(ones - 1) : (1n << BigInt(ones)) - 1n
	return ((BigInt(register) << 52n) | rest).toString(16).padStart(16, '0')
})

describe('a sketch', () => {
	test('a sketch has the registers of HyperLogLog, even for hashes with many zeros', () => {
		const others = hashesOf(3, 900)
		const known = sketchOf(others)
		fc.assert(
			fc.property(fc.array(rareHashes, { maxLength: 20 }), (rare) => {
				const sketch = rare.reduce(addVisitor, known)
				expect(Array.from(sketch, (digit) => digits.indexOf(digit))).toEqual(
					naiveRegisters([...others, ...rare]),
				)
				expect(mergeVisitors(sketchOf(rare), known)).toBe(sketch)
				expect(sketchOf([...rare, ...others])).toBe(sketch)
			}),
			{ numRuns: propertyRuns(20) },
		)
	})

	test('a sketch is the same in whatever order visitors were added and sketches merged', () => {
		const pool = hashesOf(4, 1_500)
		const part = fc
			.tuple(fc.nat(1_500), fc.nat(1_500))
			.map(([a, b]) => pool.slice(Math.min(a, b), Math.max(a, b)))
		const hashes = fc.tuple(part, fc.array(rareHashes, { maxLength: 9 })).map(([a, b]) => [...a, ...b])
		fc.assert(
			fc.property(hashes, hashes, hashes, (a, b, c) => {
				const [x, y, z] = [sketchOf(a), sketchOf(b), sketchOf(c)]
				const whole = sketchOf([...c, ...a.toReversed(), ...b])
				expect(mergeVisitors(mergeVisitors(x, y), z)).toBe(whole)
				expect(mergeVisitors(x, mergeVisitors(y, z))).toBe(whole)
				expect(mergeVisitors(z, mergeVisitors(y, x))).toBe(whole)
				expect(mergeVisitors(whole, x)).toBe(whole)
				expect(mergeVisitors(y, whole)).toBe(whole)
				expect(mergeVisitors(x, noVisitors)).toBe(x)
				expect(mergeVisitors(noVisitors, x)).toBe(x)
				expect(whole.length).toBeLessThanOrEqual(4_096)
				expect(JSON.stringify(whole)).toBe(`"${whole}"`)
			}),
			{ numRuns: propertyRuns(15) },
		)
	})
})

import { decodeDigit, digits } from './digits.ts'

/**
 * A HyperLogLog sketch with 4,096 registers as text: which visitors were counted, in at most 4,096 characters. The text
 * depends only on the set of visitors, not on how sketches were merged.
 *
 * - Sparse, up to 819 visitors: five characters for each, which keep enough of its hash to be exact in practice. Four
 *   are the first 24 bits; the fifth is the rank of the rest. Sorted.
 * - Dense: one character for each register.
 *
 * The rank of bits is one more than the number of zeros that they start with.
 */
export type Visitors = string

export const noVisitors: Visitors = ''

const REGISTERS = 4_096
const ENTRY_LENGTH = 5
/** The longest sparse sketch is a character shorter than a dense one, so the length says which one it is. */
const MAX_ENTRIES = Math.floor((REGISTERS - 1) / ENTRY_LENGTH)
const EMPTY_DENSE = '-'.repeat(REGISTERS)
/** 12 of 64 bits choose the register. The others can all be zeros. */
const MAX_RANK = 52 + 1

/** Counts a visitor, given as 16 hexadecimal digits. Counting it again changes nothing. */
export const addVisitor = (sketch: Visitors, hash: string): Visitors => mergeVisitors(sketch, entryOf(hash))

export function mergeVisitors(a: Visitors, b: Visitors): Visitors {
	if (a === b || b === noVisitors) return a
	if (a === noVisitors) return b
	if (isDense(a)) return raise(a, isDense(b) ? ranksOfDense(b) : entriesOf(b).map(rankOfEntry))
	if (isDense(b)) return mergeVisitors(b, a)
	const union = [...new Set([...entriesOf(a), ...entriesOf(b)])].toSorted()
	return union.length > MAX_ENTRIES ? raise(EMPTY_DENSE, union.map(rankOfEntry)) : union.join('')
}

/** Returns the number of visitors: exact while the sketch is sparse, then with a standard error of 1.6 %. */
export const countVisitors = (sketch: Visitors): number =>
	isDense(sketch) ? Math.round(estimate(sketch)) : sketch.length / ENTRY_LENGTH

const isDense = (sketch: Visitors): boolean => sketch.length === REGISTERS

function entryOf(hash: string): string {
	if (!/^[\da-f]{16}$/i.test(hash)) throw new RangeError('a visitor must be 16 hexadecimal digits')
	const prefix = Number.parseInt(hash.slice(0, 6), 16)
	const [high, low] = [Number.parseInt(hash.slice(6, 14), 16), Number.parseInt(hash.slice(14), 16)]
	const zeros = high > 0 ? Math.clz32(high) : 32 + Math.clz32(low) - 24
	return [prefix >>> 18, prefix >>> 12, prefix >>> 6, prefix, zeros + 1]
		.map((bits) => digits[bits & 63])
		.join('')
}

const entriesOf = (sketch: Visitors): string[] => sketch.match(/.{5}/g) ?? []

/** The rank of a visitor, as a digit, in its register. */
type Rank = { register: number; digit: string }

function rankOfEntry(entry: string): Rank {
	const register = decodeDigit(entry, 0) * 64 + decodeDigit(entry, 1)
	const bits = decodeDigit(entry, 2) * 64 + decodeDigit(entry, 3)
	const rank = bits === 0 ? 12 + decodeDigit(entry, 4) : Math.clz32(bits) - 20 + 1
	return { register, digit: digits[rank] ?? '' }
}

const ranksOfDense = (sketch: Visitors): Rank[] =>
	Array.from(sketch, (digit, register) => ({ register, digit }))

/** Raises registers to at least the given ranks. Digits compare like their values. */
function raise(dense: Visitors, ranks: readonly Rank[]): Visitors {
	const isHigher = ({ register, digit }: Rank, registers: Visitors | string[]) =>
		digit > (registers[register] ?? '')
	const higher = ranks.filter((rank) => isHigher(rank, dense))
	// Most visitors change nothing in a sketch of many, so adding one is cheap.
	if (higher.length === 0) return dense
	const registers = [...dense]
	for (const rank of higher) if (isHigher(rank, registers)) registers[rank.register] = rank.digit
	return registers.join('')
}

/**
 * Estimates the number of visitors by algorithm 6 of O. Ertl, New cardinality estimation algorithms for HyperLogLog
 * sketches (2017), without its term for 2^52 visitors and more. It needs no table of biases, and empty registers count
 * as in linear counting.
 */
function estimate(dense: Visitors): number {
	const counts = new Array<number>(MAX_RANK + 1).fill(0)
	for (let register = 0; register < REGISTERS; register++) {
		const rank = decodeDigit(dense, register)
		counts[rank] = (counts[rank] ?? 0) + 1
	}
	let sum = 0
	for (let rank = MAX_RANK; rank >= 1; rank--) sum = (sum + (counts[rank] ?? 0)) / 2
	sum += REGISTERS * weightOfEmpty((counts[0] ?? 0) / REGISTERS)
	return REGISTERS ** 2 / (2 * Math.LN2 * sum)
}

/** The function σ of the paper, for the share of empty registers. */
function weightOfEmpty(share: number): number {
	let [power, factor, sum, previous] = [share, 1, share, -1]
	while (sum !== previous) {
		previous = sum
		power *= power
		sum += power * factor
		factor *= 2
	}
	return sum
}

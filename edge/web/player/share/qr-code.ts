import { correctErrors } from './reed-solomon.ts'

/** For each version from 1: error correction bytes of a block, and the data bytes of each block. */
const VERSIONS = [
	{ correction: 10, blocks: [16] },
	{ correction: 16, blocks: [28] },
	{ correction: 26, blocks: [44] },
	{ correction: 18, blocks: [32, 32] },
	{ correction: 24, blocks: [43, 43] },
	{ correction: 16, blocks: [27, 27, 27, 27] },
	{ correction: 18, blocks: [31, 31, 31, 31] },
	{ correction: 22, blocks: [38, 38, 39, 39] },
	{ correction: 22, blocks: [36, 36, 36, 37, 37] },
]
type Version = (typeof VERSIONS)[number]

/** From version 2: the last center of an alignment pattern. From version 7, there is one in the middle, too. */
const findCenters = (version: number): number[] => {
	const last = version * 4 + 10
	if (version === 1) return []
	return version < 7 ? [6, last] : [6, (6 + last) / 2, last]
}

/** Undefined where no pattern and no data is yet. */
type Grid = (boolean | undefined)[][]

/**
 * Returns the modules of a QR code (ISO/IEC 18004) with a text, true for dark; null if the text is longer than 180
 * bytes. The code stays readable with 15 % of it damaged. The mask is always the first one: readers accept each of the
 * eight, and to rate them all would double this file.
 */
export function drawQrCode(text: string): boolean[][] | null {
	const bytes = new TextEncoder().encode(text)
	const index = VERSIONS.findIndex((version) => bytes.length + 2 <= countDataBytes(version))
	const version = VERSIONS[index]
	if (!version) return null
	const grid = drawPatterns(index + 1)
	fillWithData(grid, interleave(encodeData(bytes, countDataBytes(version)), version))
	return grid.map((row) => row.map(Boolean))
}

const countDataBytes = ({ blocks }: Version): number => blocks.reduce((sum, length) => sum + length, 0)

/** Returns mode 4 (bytes), the length, the text and the end, which are not aligned to bytes, and the padding. */
function encodeData(bytes: Uint8Array, length: number): number[] {
	const halves = [
		4,
		bytes.length >> 4,
		bytes.length & 15,
		...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]),
		0,
	]
	return Array.from({ length }, (_, at) => {
		const [high, low] = [halves[at * 2], halves[at * 2 + 1]]
		if (high !== undefined && low !== undefined) return (high << 4) | low
		return (at - halves.length / 2) % 2 === 0 ? 0xec : 0x11
	})
}

/** Adds error correction to each block, and takes one byte of each block at a time. */
function interleave(data: readonly number[], { blocks, correction }: Version): number[] {
	let end = 0
	const parts = blocks.map((length) => {
		end += length
		return data.slice(end - length, end)
	})
	const takeInTurns = (lists: number[][]) =>
		Array.from({ length: lists.at(-1)?.length ?? 0 }, (_, at) =>
			lists.flatMap((list) => list[at] ?? []),
		).flat()
	return [...takeInTurns(parts), ...takeInTurns(parts.map((part) => correctErrors(part, correction)))]
}

/** Draws what is the same for every text: timing, alignment, finders, format and version. */
function drawPatterns(version: number): Grid {
	const size = version * 4 + 17
	const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }))
	const set = (row: number, column: number, isDark: boolean) => {
		const line = grid[row]
		if (line && column >= 0 && column < size) line[column] = isDark
	}
	const drawSquare = (row: number, column: number, radius: number, light: readonly number[]) => {
		for (let y = -radius; y <= radius; y++)
			for (let x = -radius; x <= radius; x++)
				set(row + y, column + x, !light.includes(Math.max(Math.abs(x), Math.abs(y))))
	}
	for (let at = 0; at < size; at++) {
		set(6, at, at % 2 === 0)
		set(at, 6, at % 2 === 0)
	}
	// The finders cover the alignment patterns in three corners, one module of which would stay.
	const centers = findCenters(version)
	const isCorner = (row: number, column: number) =>
		Math.min(row, column) === 6 && [6, size - 7].includes(Math.max(row, column))
	for (const row of centers)
		for (const column of centers) if (!isCorner(row, column)) drawSquare(row, column, 2, [1])
	drawSquare(3, 3, 4, [2, 4])
	drawSquare(3, size - 4, 4, [2, 4])
	drawSquare(size - 4, 3, 4, [2, 4])
	for (let bit = 0; bit < 15; bit++) {
		const isDark = ((FORMAT >> bit) & 1) === 1
		set(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, isDark)
		set(8, bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, isDark)
	}
	set(size - 8, 8, true)
	for (let bit = 0; bit < 18 && version >= 7; bit++) {
		const isDark = (((VERSION_BITS[version - 7] ?? 0) >> bit) & 1) === 1
		const [long, short] = [Math.floor(bit / 3), (bit % 3) + size - 11]
		set(long, short, isDark)
		set(short, long, isDark)
	}
	return grid
}

/** Level M and the first mask, with their check bits. */
const FORMAT = 0x5412
/** Versions 7 to 9 with their check bits. */
const VERSION_BITS = [0x07c94, 0x085bc, 0x09a99]

/** Fills the free modules in columns of two from the right, up and down by turns, under the first mask. */
function fillWithData(grid: Grid, data: readonly number[]): void {
	const size = grid.length
	let bit = 0
	for (let pair = 0; pair < (size - 1) / 2; pair++) {
		// The column with the timing pattern belongs to no pair.
		const right = size - 1 - pair * 2 - (pair * 2 > size - 8 ? 1 : 0)
		for (let step = 0; step < size; step++) {
			const row = pair % 2 === 0 ? size - 1 - step : step
			for (const column of [right, right - 1]) {
				const line = grid[row]
				if (!line || line[column] !== undefined) continue
				const isDark = (((data[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
				line[column] = isDark !== ((row + column) % 2 === 0)
				bit++
			}
		}
	}
}

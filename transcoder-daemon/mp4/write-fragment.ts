import { readBoxes } from './boxes.ts'
import type { Sample } from './segments.ts'

/** A run of samples of one track, with the fields of its boxes (ISO/IEC 14496-12). */
export type Run = {
	sequence: number
	/** Decode time of its first sample, in ticks. */
	baseTime: number
	/** Values shared by all samples: flags of `tfhd`, and the fields that they announce. */
	defaults?: { flags: number; fields: readonly number[] }
	/** Values of each sample: flags of `trun`, and the fields of all samples in order. */
	table: { version: 0 | 1; flags: number; count: number; rows: Buffer }
	data: readonly Buffer[]
}

const TRACK = 1
const BASE_IS_MOOF = 0x020000
const DATA_OFFSET = 0x000001

/** Writes `moof` and `mdat`; sample data begins at `dataAt`. */
export function writeFragment({ sequence, baseTime, defaults, table, data }: Run): {
	bytes: Buffer
	dataAt: number
} {
	const { flags = 0, fields = [] } = defaults ?? {}
	const head = (dataAt: number) =>
		writeBox('moof', [
			writeFullBox('mfhd', 0, 0, [writeWords(sequence)]),
			writeBox('traf', [
				writeFullBox('tfhd', 0, BASE_IS_MOOF | flags, [writeWords(TRACK, ...fields)]),
				writeFullBox('tfdt', 1, 0, [writeWords(Math.floor(baseTime / 2 ** 32), baseTime % 2 ** 32)]),
				writeFullBox('trun', table.version, DATA_OFFSET | table.flags, [
					writeWords(table.count, dataAt),
					table.rows,
				]),
			]),
		])
	// The box contains its own length.
	const moof = head(head(0).length + 8)
	return { bytes: Buffer.concat([moof, writeBox('mdat', data)]), dataAt: moof.length + 8 }
}

/** Duration, size, flags and composition offset of each sample. */
const EACH_SAMPLE = 0x000f00

export function writeSampleTable(samples: readonly Sample[]): Run['table'] {
	const rows = Buffer.alloc(samples.length * 16)
	samples.forEach(({ duration, size, flags, compositionOffset }, order) => {
		const at = order * 16
		rows.writeUInt32BE(duration, at)
		rows.writeUInt32BE(size, at + 4)
		rows.writeUInt32BE(flags, at + 8)
		rows.writeInt32BE(compositionOffset, at + 12)
	})
	return { version: 1, flags: EACH_SAMPLE, count: samples.length, rows }
}

export function writeWords(...values: readonly number[]): Buffer {
	const bytes = Buffer.alloc(4 * values.length)
	for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
	return bytes
}

export function writeBox(type: string, parts: readonly Buffer[]): Buffer {
	const size = parts.reduce((sum, { length }) => sum + length, 8)
	return Buffer.concat([writeWords(size), Buffer.from(type, 'latin1'), ...parts])
}

/** Returns the bytes with another body in each box of this type at the top level. */
export const changeBoxes = (bytes: Buffer, target: string, change: (body: Buffer) => Buffer): Buffer =>
	Buffer.concat(
		[...readBoxes(bytes)].map(({ type, body }) => writeBox(type, [type === target ? change(body) : body])),
	)

export const writeFullBox = (
	type: string,
	version: number,
	flags: number,
	parts: readonly Buffer[],
): Buffer => writeBox(type, [writeWords(version * 0x1000000 + flags), ...parts])

import type { Sample } from './segments.ts'

const BASE_IS_MOOF = 0x020000
/** Offset of the data; and of each sample duration, size, flags and composition offset. */
const RUN_FIELDS = 0x000f01
/** The one track that ffmpeg writes. */
const TRACK = 1

/** `moof` and `mdat` of samples one behind the other, and how far into them the first one reaches. */
export function writeFragment(
	sequence: number,
	baseTime: number,
	samples: readonly Sample[],
	data: readonly Buffer[],
): { bytes: Buffer; keyBytes: number } {
	const moof = movieFragment(sequence, baseTime, samples)
	return {
		bytes: Buffer.concat([moof, boxOf('mdat', ...data)]),
		keyBytes: moof.length + 8 + (samples[0]?.size ?? 0),
	}
}

function movieFragment(sequence: number, baseTime: number, samples: readonly Sample[]): Buffer {
	const run = Buffer.alloc(samples.length * 16)
	samples.forEach(({ duration, size, flags, compositionOffset }, order) => {
		const at = order * 16
		run.writeUInt32BE(duration, at)
		run.writeUInt32BE(size, at + 4)
		run.writeUInt32BE(flags, at + 8)
		run.writeInt32BE(compositionOffset, at + 12)
	})
	const header = (dataOffset: number) =>
		boxOf(
			'moof',
			fullBox('mfhd', 0, 0, uint32(sequence)),
			boxOf(
				'traf',
				fullBox('tfhd', 0, BASE_IS_MOOF, uint32(TRACK)),
				fullBox('tfdt', 1, 0, uint64(baseTime)),
				fullBox('trun', 1, RUN_FIELDS, uint32(samples.length), uint32(dataOffset), run),
			),
		)
	// Its own length is part of what it says.
	return header(header(0).length + 8)
}

export function boxOf(type: string, ...parts: readonly Buffer[]): Buffer {
	const head = Buffer.alloc(8)
	head.writeUInt32BE(8 + parts.reduce((sum, { length }) => sum + length, 0), 0)
	head.write(type, 4, 'latin1')
	return Buffer.concat([head, ...parts])
}

const fullBox = (type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer =>
	boxOf(type, uint32(version * 0x1000000 + flags), ...parts)

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4)
	bytes.writeUInt32BE(value)
	return bytes
}

function uint64(value: number): Buffer {
	const bytes = Buffer.alloc(8)
	bytes.writeBigUInt64BE(BigInt(value))
	return bytes
}

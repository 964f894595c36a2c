import type { Rational } from '#schema/contract/media-info.ts'
import { type Fragment, readSamples, type Sample } from './segments.ts'

export type Grid = {
	fps: Rational
	/** Ticks in a second; those of a frame are a whole number. */
	timescale: number
	/** Frames at which segments begin; the first is 0. */
	cuts: readonly number[]
	/** When frame 0 is shown, in ticks: as it comes, and as it is to be. */
	startIn: number
	startOut: number
}

/** The frames are not where they were found to be. */
export class OffGridError extends Error {
	override name = 'OffGridError'
}

/** A sample with the number of its frame, in order of presentation. */
type Framed = Sample & { frame: number }

type Held = { samples: Framed[]; data: Buffer[] }

/**
 * Copied frames as segments whose times lie on the very grid of the encoded rungs: containers round times, and cameras
 * tremble, while the borders of all rungs have to be the same instants. Fails where frames are missing, doubled, or
 * belong to a segment that they are not in.
 */
export async function* cutOntoGrid(fragments: AsyncIterable<Fragment>, grid: Grid): AsyncGenerator<Fragment> {
	let held: Held = { samples: [], data: [] }
	let decoded = 0
	let number = 0
	let reorder: number | undefined
	const flush = () => {
		const { samples, data } = held
		held = { samples: [], data: [] }
		demandFrames(samples, decoded, grid.cuts[number] ?? 0)
		// The same for the whole stream, or decode times would leap from segment to segment.
		reorder ??= Math.max(...samples.map(({ frame }, order) => order - frame), reorderOf(samples, grid))
		const segment = writeSegment(samples, data, { grid, decoded, reorder, sequence: number + 1 })
		decoded += samples.length
		number++
		return segment
	}
	for await (const { bytes, isKey } of fragments) {
		const moof = bytes.subarray(0, bytes.readUInt32BE(0))
		const samples = framesOf(moof, grid)
		if (held.samples.length > 0 && samples[0]?.frame === grid.cuts[number + 1]) yield flush()
		const cut = grid.cuts[number + 1]
		if (cut !== undefined && (samples[0]?.frame ?? 0) > cut)
			throw new OffGridError(`no key frame at frame ${cut}, where a segment begins`)
		if (held.samples.length === 0 && !isKey)
			throw new OffGridError(`segment ${number} begins with no key frame`)
		held.samples.push(...samples)
		held.data.push(bytes.subarray(moof.length + 8))
	}
	yield flush()
	if (number !== grid.cuts.length)
		throw new OffGridError(
			`${number} segments were to be had from this video, and ${grid.cuts.length} are wanted`,
		)
}

const frameTicks = ({ fps, timescale }: Grid): number => (timescale * fps.den) / fps.num

function framesOf(moof: Buffer, grid: Grid): Framed[] {
	const { baseTime, samples } = readSamples(moof)
	let time = baseTime - grid.startIn
	return samples.map((sample) => {
		const frame = Math.round((time + sample.compositionOffset) / frameTicks(grid))
		time += sample.duration
		return { ...sample, frame }
	})
}

/** How many frames the source itself decodes ahead. */
const reorderOf = ([first]: readonly Framed[], grid: Grid): number =>
	Math.round((first?.compositionOffset ?? 0) / frameTicks(grid))

function demandFrames(samples: readonly Framed[], decoded: number, cut: number): void {
	if (decoded !== cut) throw new OffGridError(`a segment would begin at frame ${decoded}, not at ${cut}`)
	const frames = new Set(samples.map(({ frame }) => frame))
	for (let frame = cut; frame < cut + samples.length; frame++)
		if (!frames.has(frame)) throw new OffGridError(`frame ${frame} is missing, or not in its segment`)
}

type Placement = { grid: Grid; decoded: number; reorder: number; sequence: number }

function writeSegment(
	samples: readonly Framed[],
	data: readonly Buffer[],
	{ grid, decoded, reorder, sequence }: Placement,
): Fragment {
	const ticks = frameTicks(grid)
	const begin = (decoded - reorder) * ticks
	const run = Buffer.alloc(samples.length * 16)
	samples.forEach(({ size, flags, frame }, order) => {
		const at = order * 16
		run.writeUInt32BE(ticks, at)
		run.writeUInt32BE(size, at + 4)
		run.writeUInt32BE(flags, at + 8)
		run.writeInt32BE((frame - decoded - order + reorder) * ticks, at + 12)
	})
	const moof = movieFragment(sequence, grid.startOut + begin, samples.length, run)
	const mdat = Buffer.alloc(8)
	mdat.writeUInt32BE(8 + data.reduce((sum, { length }) => sum + length, 0), 0)
	mdat.write('mdat', 4, 'latin1')
	return {
		kind: 'fragment',
		bytes: Buffer.concat([moof, mdat, ...data]),
		samples: samples.length,
		keyBytes: moof.length + 8 + (samples[0]?.size ?? 0),
		isKey: true,
		baseTime: grid.startOut + begin,
		durationTicks: samples.length * ticks,
		firstPts: grid.startOut + decoded * ticks,
	}
}

const BASE_IS_MOOF = 0x020000
/** Offset of the data; and of each sample duration, size, flags and composition offset. */
const RUN_FIELDS = 0x000f01
/** The one track that ffmpeg writes. */
const TRACK = 1

function movieFragment(sequence: number, baseTime: number, count: number, run: Buffer): Buffer {
	const header = (dataOffset: number) =>
		box(
			'moof',
			fullBox('mfhd', 0, 0, uint32(sequence)),
			box(
				'traf',
				fullBox('tfhd', 0, BASE_IS_MOOF, uint32(TRACK)),
				fullBox('tfdt', 1, 0, uint64(baseTime)),
				fullBox('trun', 1, RUN_FIELDS, uint32(count), uint32(dataOffset), run),
			),
		)
	// Its own length is part of what it says.
	return header(header(0).length + 8)
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
	const head = Buffer.alloc(8)
	head.writeUInt32BE(8 + parts.reduce((sum, { length }) => sum + length, 0), 0)
	head.write(type, 4, 'latin1')
	return Buffer.concat([head, ...parts])
}

const fullBox = (type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer =>
	box(type, uint32(version * 0x1000000 + flags), ...parts)

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

import type { Rational } from '#schema/contract/media-info.ts'
import { type Fragment, readSamples, type Sample } from './segments.ts'
import { tableOf, writeFragment } from './write-fragment.ts'

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
	const baseTime = grid.startOut + (decoded - reorder) * ticks
	const placed = samples.map(({ frame, ...sample }, order) => ({
		...sample,
		duration: ticks,
		compositionOffset: (frame - decoded - order + reorder) * ticks,
	}))
	const { bytes, dataAt } = writeFragment({ sequence, baseTime, table: tableOf(placed), data })
	return {
		kind: 'fragment',
		bytes,
		samples: samples.length,
		keyBytes: dataAt + (samples[0]?.size ?? 0),
		isKey: true,
		baseTime,
		durationTicks: samples.length * ticks,
		firstPts: grid.startOut + decoded * ticks,
	}
}

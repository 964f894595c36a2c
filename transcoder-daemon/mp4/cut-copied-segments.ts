import type { Rational } from '#schema/contract/video/media-info.ts'
import { type Fragment, readSamples, type Sample } from './segments.ts'
import { writeFragment, writeSampleTable } from './write-fragment.ts'

export type Grid = {
	fps: Rational
	/** Ticks per second; a frame is a whole number of them. */
	timescale: number
	/** Frames at which segments begin; the first is 0. */
	cuts: readonly number[]
	/** Presentation time of frame 0 in ticks: in the source, and in the output. */
	startIn: number
	startOut: number
}

/** The frames differ from the inspection's findings. */
export class OffGridError extends Error {
	override name = 'OffGridError'
}

/** A sample with its frame number, in presentation order. */
type Framed = Sample & { frame: number }

type PendingSegment = { samples: Framed[]; data: Buffer[] }

/**
 * Cuts copied frames into segments with times on the same grid as encoded rungs. Containers round times and cameras
 * jitter, but all rungs must share their boundaries. Throws when frames are missing, duplicated, or in the wrong
 * segment.
 */
export async function* cutCopiedSegments(
	fragments: AsyncIterable<Fragment>,
	grid: Grid,
): AsyncGenerator<Fragment> {
	let pending: PendingSegment = { samples: [], data: [] }
	let decoded = 0
	let number = 0
	let reorder: number | undefined
	const flush = () => {
		const { samples, data } = pending
		pending = { samples: [], data: [] }
		requireFrames(samples, decoded, grid.cuts[number] ?? 0)
		// Constant for the whole stream, or decode times would jump between segments.
		reorder ??= Math.max(...samples.map(({ frame }, order) => order - frame), reorderOf(samples, grid))
		const segment = writeSegment(samples, data, { grid, decoded, reorder, sequence: number + 1 })
		decoded += samples.length
		number++
		return segment
	}
	for await (const { bytes, isKey } of fragments) {
		const moof = bytes.subarray(0, bytes.readUInt32BE(0))
		const samples = framesOf(moof, grid)
		if (pending.samples.length > 0 && samples[0]?.frame === grid.cuts[number + 1]) yield flush()
		const cut = grid.cuts[number + 1]
		if (cut !== undefined && (samples[0]?.frame ?? 0) > cut)
			throw new OffGridError(`frame ${cut} begins a segment but is not a key frame`)
		if (pending.samples.length === 0 && !isKey)
			throw new OffGridError(`segment ${number} does not begin with a key frame`)
		pending.samples.push(...samples)
		pending.data.push(bytes.subarray(moof.length + 8))
	}
	yield flush()
	if (number !== grid.cuts.length)
		throw new OffGridError(`this video gives ${number} segments instead of ${grid.cuts.length}`)
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

/** Returns how many frames the source decodes ahead. */
const reorderOf = ([first]: readonly Framed[], grid: Grid): number =>
	Math.round((first?.compositionOffset ?? 0) / frameTicks(grid))

function requireFrames(samples: readonly Framed[], decoded: number, cut: number): void {
	if (decoded !== cut) throw new OffGridError(`a segment would begin at frame ${decoded}, not at ${cut}`)
	const frames = new Set(samples.map(({ frame }) => frame))
	for (let frame = cut; frame < cut + samples.length; frame++)
		if (!frames.has(frame)) throw new OffGridError(`frame ${frame} is missing or in another segment`)
}

type Placement = { grid: Grid; decoded: number; reorder: number; sequence: number }

function writeSegment(
	samples: readonly Framed[],
	data: readonly Buffer[],
	{ grid, decoded, reorder, sequence }: Placement,
): Fragment {
	const ticks = frameTicks(grid)
	const baseTime = grid.startOut + (decoded - reorder) * ticks
	const retimed = samples.map(({ frame, ...sample }, order) => ({
		...sample,
		duration: ticks,
		compositionOffset: (frame - decoded - order + reorder) * ticks,
	}))
	const { bytes, dataAt } = writeFragment({ sequence, baseTime, table: writeSampleTable(retimed), data })
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

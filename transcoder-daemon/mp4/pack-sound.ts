import { UNIT_SAMPLES } from '#schema/contract/video/tasks.ts'
import type { Fragment, Init } from './segments.ts'
import { writeFragment, writeWords } from './write-fragment.ts'

export type SoundCut = {
	/** Start in ticks, which are samples. Only the encoder's priming lies before it. */
	start: number
	/** null: to the end of the track. */
	units: number | null
	/** A copied track may deviate slightly from the grid of units, and end slightly early. */
	isCopied: boolean
	/** Returns the unit at which a segment begins. */
	cutAt(segment: number): number
	/** A shorter last segment is joined to the one before. */
	minUnits: number
}

/** Audio that can't be cut into segments without encoding. */
export class UnevenSoundError extends Error {
	override name = 'UnevenSoundError'
}

/** For copies: units begin at most half a unit before or after the video, which is inaudible. */
const MAX_START_DEVIATION = UNIT_SAMPLES / 2
/** Milliseconds of a container stay below this; audio that drifts from its clock reaches it. */
const MAX_GRID_DEVIATION = UNIT_SAMPLES / 4
/** A copy may end within the last unit of the video. */
const MAX_MISSING_UNITS = 1

/**
 * Joins access units, each in its own fragment, into segments. ffmpeg itself would cut by length, drift from the
 * video's segments, and begin with the encoder's priming.
 */
export async function* packSound(
	units: AsyncIterable<Fragment>,
	{ timescale }: Init,
	{ start, units: total, isCopied, cutAt, minUnits }: SoundCut,
): AsyncGenerator<Fragment> {
	const pending: Buffer[] = []
	const [maxStartDeviation, maxGridDeviation, missingUnits] = isCopied
		? [MAX_START_DEVIATION, MAX_GRID_DEVIATION, MAX_MISSING_UNITS]
		: [0, 0, 0]
	let origin: number | undefined
	let first = 0
	let segment = 0
	const pack = (units: Buffer[]) =>
		packUnits(units, { sequence: segment + 1, baseTime: start + first * UNIT_SAMPLES })
	for await (const unit of units) {
		const unitCount = first + pending.length
		if (unit.baseTime < start - maxStartDeviation || unitCount === total) continue
		origin ??= unit.baseTime
		const deviation = Math.abs(unit.baseTime - origin - unitCount * UNIT_SAMPLES)
		if (unit.samples !== 1 || origin > start + maxStartDeviation || deviation > maxGridDeviation)
			throw new UnevenSoundError(`audio is not continuous at ${unit.baseTime / timescale} s`)
		pending.push(payloadOf(unit))
		const next = cutAt(segment + 1)
		// Waits until the rest is long enough for a segment of its own.
		if (unitCount + 1 < next + minUnits) continue
		yield pack(pending.splice(0, next - first))
		first = next
		segment++
	}
	const unitCount = first + pending.length
	if (total !== null && unitCount < total - missingUnits)
		throw new UnevenSoundError(`only ${unitCount} of ${total} audio units were encoded`)
	if (pending.length > 0) yield pack(pending)
}

const payloadOf = ({ bytes }: Fragment): Buffer => bytes.subarray(bytes.readUInt32BE(0) + 8)

const DEFAULT_DURATION = 0x8
const DEFAULT_FLAGS = 0x20
const DEPENDS_ON_NOTHING = 0x02000000
const SAMPLE_SIZE = 0x200

function packUnits(
	units: readonly Buffer[],
	{ sequence, baseTime }: { sequence: number; baseTime: number },
): Fragment {
	const sizes = writeWords(...units.map(({ length }) => length))
	const { bytes, dataAt } = writeFragment({
		sequence,
		baseTime,
		defaults: { flags: DEFAULT_DURATION | DEFAULT_FLAGS, fields: [UNIT_SAMPLES, DEPENDS_ON_NOTHING] },
		table: { version: 0, flags: SAMPLE_SIZE, count: units.length, rows: sizes },
		data: units,
	})
	return {
		kind: 'fragment',
		bytes,
		samples: units.length,
		keyBytes: dataAt + (units[0]?.length ?? 0),
		isKey: true,
		baseTime,
		durationTicks: units.length * UNIT_SAMPLES,
		firstPts: baseTime,
	}
}

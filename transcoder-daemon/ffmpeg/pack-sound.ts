import { UNIT_SAMPLES } from '#schema/contract/tasks.ts'
import type { Fragment, Init } from './segments.ts'
import { words, writeFragment } from './write-fragment.ts'

export type SoundCut = {
	/** In ticks, which are samples: before it lies only what the encoder puts in front of the sound. */
	start: number
	/** null: to the end, wherever that is. */
	units: number | null
	/** What a source has may be a little off the grid of units, and end a little early. */
	isCopied: boolean
	/** The unit at which segment k begins. */
	cutAt(segment: number): number
	/** A last segment shorter than this is part of the one before. */
	leastUnits: number
}

/** Sound that can't be cut into segments as it is. */
export class UnevenSoundError extends Error {
	override name = 'UnevenSoundError'
}

/** Of a copy: units begin at most half of one before or after the picture, which nobody hears. */
const OFF_START = UNIT_SAMPLES / 2
/** Containers that count in milliseconds round; clocks that run apart from their sound get here. */
const OFF_GRID = UNIT_SAMPLES / 4
/** It may end within the last unit before the picture does. */
const UNITS_SHORT = 1

/**
 * Puts access units, which come each in a fragment of its own, together to segments. ffmpeg by itself would cut where
 * a length is exceeded, drift from the pictures' segments, and begin with what the encoder puts in front.
 */
export async function* packSound(
	units: AsyncIterable<Fragment>,
	{ timescale }: Init,
	{ start, units: total, isCopied, cutAt, leastUnits }: SoundCut,
): AsyncGenerator<Fragment> {
	const held: Buffer[] = []
	const [offStart, offGrid, unitsShort] = isCopied ? [OFF_START, OFF_GRID, UNITS_SHORT] : [0, 0, 0]
	let origin: number | undefined
	let first = 0
	let segment = 0
	const pack = (units: Buffer[]) =>
		packUnits(units, { sequence: segment + 1, baseTime: start + first * UNIT_SAMPLES })
	for await (const unit of units) {
		const taken = first + held.length
		if (unit.baseTime < start - offStart || taken === total) continue
		origin ??= unit.baseTime
		const off = Math.abs(unit.baseTime - origin - taken * UNIT_SAMPLES)
		if (unit.samples !== 1 || origin > start + offStart || off > offGrid)
			throw new UnevenSoundError(`sound at ${unit.baseTime / timescale} s does not follow on what was before`)
		held.push(payloadOf(unit))
		const next = cutAt(segment + 1)
		// Not before what follows is known to be long enough to stand alone.
		if (taken + 1 < next + leastUnits) continue
		yield pack(held.splice(0, next - first))
		first = next
		segment++
	}
	const taken = first + held.length
	if (total !== null && taken < total - unitsShort)
		throw new UnevenSoundError(`${taken} of ${total} units of sound were made`)
	if (held.length > 0) yield pack(held)
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
	const sizes = words(...units.map(({ length }) => length))
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

import { createHash } from 'node:crypto'
import { readBoxes } from './boxes.ts'
import { type Fragment, type Init, iterateSamples } from './segments.ts'
import { changeBoxes, writeBox, writeFragment, writeSampleTable, writeWords } from './write-fragment.ts'

/**
 * Encoders decode ahead: the first decode time precedes the first frame. hls.js starts its timeline there, finds
 * nothing to show and skips a tenth of a second. Decode times are therefore moved to the first frame, and an edit
 * list corrects the presentation times, as in any MP4 with B-frames. In ticks.
 */
export type DecodeOffset = {
	/** Offset in the edit list: the same for all chunks of a rung. */
	edit: number
	/** Shift of the decode times. */
	decode: number
}

/**
 * Computes the offset. `minEdit`: a chunk of one or two frames decodes less ahead than the others, but shares their
 * init segment.
 */
export function computeDecodeOffset({ baseTime, firstPts }: Fragment, minEdit: number): DecodeOffset {
	const ahead = firstPts - baseTime
	return { edit: Math.max(ahead, minEdit), decode: ahead }
}

export function addEditList(init: Init, { edit }: DecodeOffset): Init {
	if (edit === 0) return init
	const bytes = changeBoxes(init.bytes, 'moov', (moov) =>
		changeBoxes(moov, 'trak', (trak) => Buffer.concat([trak, editList(edit)])),
	)
	return { ...init, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** One entry: from this time to the end, at normal speed. */
const editList = (edit: number): Buffer =>
	writeBox('edts', [writeBox('elst', [writeWords(0, 1, 0, edit, 0x10000)])])

/** Moves a fragment's decode times without changing what a player shows; `number` counts from 1. */
export function moveFragment(fragment: Fragment, { edit, decode }: DecodeOffset, number: number): Fragment {
	if (edit === 0) return fragment
	const samples = iterateSamples(fragment.bytes)
	const data = [...readBoxes(fragment.bytes)].flatMap(({ type, body }) => (type === 'mdat' ? [body] : []))
	const baseTime = fragment.baseTime + decode
	const retimed = samples.map((sample) => ({
		...sample,
		compositionOffset: sample.compositionOffset + edit - decode,
	}))
	const { bytes, dataAt } = writeFragment({
		sequence: number,
		baseTime,
		table: writeSampleTable(retimed),
		data,
	})
	return { ...fragment, bytes, keyBytes: dataAt + (samples[0]?.size ?? 0), baseTime }
}

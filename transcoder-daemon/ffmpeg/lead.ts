import { createHash } from 'node:crypto'
import { readBoxes } from './boxes.ts'
import { type Fragment, type Init, samplesIn } from './segments.ts'
import { box, tableOf, words, writeFragment } from './write-fragment.ts'

/**
 * Encoders decode ahead: the first decode time lies some frames before the first picture. hls.js begins its time line at
 * that decode time, finds nothing to show there, and jumps a tenth of a second into the video. So decode times are moved
 * to where the pictures begin, and an edit list in the init segment takes back what that adds to the times of pictures,
 * as in any MP4 with B-frames. In ticks.
 */
export type Lead = {
	/** What the edit list takes back: the same for all chunks of a rung. */
	edit: number
	/** What decode times are moved by. */
	decode: number
}

/** `leastEdit`: a chunk of a frame or two decodes less ahead than the others, with which it shares its init segment. */
export function leadOf({ baseTime, firstPts }: Fragment, leastEdit: number): Lead {
	const ahead = firstPts - baseTime
	return { edit: Math.max(ahead, leastEdit), decode: ahead }
}

export function addEditList(init: Init, { edit }: Lead): Init {
	if (edit === 0) return init
	const bytes = changeBoxes(init.bytes, 'moov', (moov) =>
		changeBoxes(moov, 'trak', (trak) => Buffer.concat([trak, editList(edit)])),
	)
	return { ...init, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

const changeBoxes = (bytes: Buffer, wanted: string, change: (body: Buffer) => Buffer): Buffer =>
	Buffer.concat(
		[...readBoxes(bytes)].map(({ type, body }) => box(type, [type === wanted ? change(body) : body])),
	)

/** One entry: to the end, from this time on, at the usual speed. */
const editList = (edit: number): Buffer => box('edts', [box('elst', [words(0, 1, 0, edit, 0x10000)])])

/** The same pictures at the same times, for a player that obeys the edit list; `number` counts from 1. */
export function moveFragment(fragment: Fragment, { edit, decode }: Lead, number: number): Fragment {
	if (edit === 0) return fragment
	const samples = samplesIn(fragment.bytes)
	const data = [...readBoxes(fragment.bytes)].flatMap(({ type, body }) => (type === 'mdat' ? [body] : []))
	const baseTime = fragment.baseTime + decode
	const moved = samples.map((sample) => ({
		...sample,
		compositionOffset: sample.compositionOffset + edit - decode,
	}))
	const { bytes, dataAt } = writeFragment({ sequence: number, baseTime, table: tableOf(moved), data })
	return { ...fragment, bytes, keyBytes: dataAt + (samples[0]?.size ?? 0), baseTime }
}

import type { Readable } from 'node:stream'
import { initName, segmentName } from '#schema/contract/tasks.ts'
import { addEditList, type Lead, leadOf, moveFragment } from '../ffmpeg/lead.ts'
import { type Fragment, type Init, readFragments } from '../ffmpeg/segments.ts'
import type { Outputs } from './task.ts'

export type StoredSegment = Omit<Fragment, 'kind' | 'bytes'> & { bytes: number }

export type StoredStream = {
	init: { bytes: number; sha256: string }
	codecs: string
	/** Ticks in a second, of the times of the segments. */
	timescale: number
	segments: StoredSegment[]
}

/** Stores one stream under its name while it is made: the init segment, and what `cut` makes of the fragments. */
export async function putStream(
	stream: Readable,
	outputs: Outputs,
	{ id, firstSegment, leastEdit = 0 }: { id: string; firstSegment: number; leastEdit?: number },
	cut: (fragments: AsyncIterable<Fragment>, init: Init) => AsyncIterable<Fragment>,
): Promise<StoredStream> {
	const parts = readFragments(stream)
	const { value: written } = await parts.next()
	if (written?.kind !== 'init') throw new Error(`${id}: segments before their init segment`)
	let init = written
	let lead: Lead | undefined
	const segments: StoredSegment[] = []
	let end: number | undefined
	for await (const made of cut(onlyFragments(parts), init)) {
		if (!lead) {
			lead = leadOf(made, leastEdit)
			init = addEditList(init, lead)
			await outputs.put(initName(id), init.bytes)
		}
		const { kind, bytes, ...segment } = moveFragment(made, lead, segments.length + 1)
		if (end !== undefined && segment.baseTime !== end)
			throw new Error(`${id}: a segment begins at ${segment.baseTime}, the one before ends at ${end}`)
		end = segment.baseTime + segment.durationTicks
		await outputs.put(segmentName(id, firstSegment + segments.length), bytes)
		segments.push({ ...segment, bytes: bytes.length })
	}
	const { bytes, sha256, codecs, timescale } = init
	return { init: { bytes: bytes.length, sha256 }, codecs, timescale, segments }
}

async function* onlyFragments(parts: AsyncIterable<Init | Fragment>): AsyncGenerator<Fragment> {
	for await (const part of parts) {
		if (part.kind === 'init') throw new Error('a second init segment in one stream')
		yield part
	}
}

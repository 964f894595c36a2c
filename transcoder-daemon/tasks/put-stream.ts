import type { Readable } from 'node:stream'
import { formatInitName, formatSegmentName } from '#schema/contract/video/tasks.ts'
import { addEditList, computeDecodeOffset, type DecodeOffset, moveFragment } from '../mp4/decode-offset.ts'
import { type Fragment, type Init, readFragments } from '../mp4/segments.ts'
import type { Outputs } from './task.ts'

export type StoredSegment = Omit<Fragment, 'kind' | 'bytes'> & { bytes: number }

export type StoredStream = {
	init: { bytes: number; sha256: string }
	codecs: string
	/** Ticks per second of the segments' times. */
	timescale: number
	segments: StoredSegment[]
}

/** Stores one stream while it is produced: the init segment, and the segments that `cut` makes of the fragments. */
export async function putStream(
	stream: Readable,
	outputs: Outputs,
	{ id, firstSegment, minEdit = 0 }: { id: string; firstSegment: number; minEdit?: number },
	cut: (fragments: AsyncIterable<Fragment>, init: Init) => AsyncIterable<Fragment>,
): Promise<StoredStream> {
	const parts = readFragments(stream)
	const { value: first } = await parts.next()
	if (first?.kind !== 'init') throw new Error(`${id}: a segment came before the init segment`)
	let init = first
	let offset: DecodeOffset | undefined
	const segments: StoredSegment[] = []
	let endTime: number | undefined
	for await (const fragment of cut(onlyFragments(parts), init)) {
		if (!offset) {
			offset = computeDecodeOffset(fragment, minEdit)
			init = addEditList(init, offset)
			await outputs.put(formatInitName(id), init.bytes)
		}
		const { kind, bytes, ...segment } = moveFragment(fragment, offset, segments.length + 1)
		if (endTime !== undefined && segment.baseTime !== endTime)
			throw new Error(`${id}: a segment begins at ${segment.baseTime}, the one before ends at ${endTime}`)
		endTime = segment.baseTime + segment.durationTicks
		await outputs.put(formatSegmentName(id, firstSegment + segments.length), bytes)
		segments.push({ ...segment, bytes: bytes.length })
	}
	const { bytes, sha256, codecs, timescale } = init
	return { init: { bytes: bytes.length, sha256 }, codecs, timescale, segments }
}

async function* onlyFragments(parts: AsyncIterable<Init | Fragment>): AsyncGenerator<Fragment> {
	for await (const part of parts) {
		if (part.kind === 'init') throw new Error('the stream has a second init segment')
		yield part
	}
}

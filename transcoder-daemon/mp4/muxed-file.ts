import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { findBox, Mp4Error, readBoxes, readTimescale, requireBox } from './boxes.ts'
import { isKeySample, readTopBoxes, readTracks } from './segments.ts'
import { changeBoxes, writeFullBox, writeWords } from './write-fragment.ts'

/** A track of the file; times in ticks, after the edit list. Samples before 0 are decoded but not presented. */
export type MuxedTrack = { timescale: number; samples: number; start: number; end: number }

/** A fragmented MP4 of one or two tracks. The segments follow the init segment without gaps. */
export type MuxedFile = {
	bytes: number
	initBytes: number
	/** `ticks` are those of the first track. */
	segments: { bytes: number; ticks: number }[]
	tracks: readonly MuxedTrack[]
}

type Layout = {
	durationSec: number
	/** Samples of the first track that begin a segment; the first is 0. null: each fragment is a segment. */
	cuts: readonly number[] | null
}

/** Writes a fragmented MP4 to a file while ffmpeg makes it, holding one fragment in memory. */
export async function writeMuxedFile(
	stream: Readable,
	path: string,
	{ durationSec, cuts }: Layout,
): Promise<MuxedFile> {
	await using file = await open(path, 'w')
	const tracks = new Map<number, Track>()
	const segments: MuxedFile['segments'] = []
	let initBytes = 0
	let bytes = 0
	let moof: Buffer | undefined
	for await (const box of readTopBoxes(stream)) {
		if (box.type === 'ftyp' || box.type === 'moov') {
			const written = box.type === 'moov' ? addDuration(box.bytes, durationSec) : box.bytes
			if (box.type === 'moov') for (const [id, track] of describeTracks(box.bytes)) tracks.set(id, track)
			await file.writeFile(written)
			initBytes += written.length
			bytes += written.length
		} else if (box.type === 'moof') {
			moof = box.bytes
		} else if (box.type === 'mdat') {
			if (!moof) throw new Mp4Error('the media data has no fragment header')
			const fragment = addFragment(tracks, moof, box.bytes)
			const fragmentBytes = moof.length + box.bytes.length
			const last = segments.at(-1)
			if (last && cuts && fragment.firstSample !== cuts[segments.length]) {
				last.bytes += fragmentBytes
				last.ticks += fragment.ticks
			} else {
				if (!fragment.isKey) throw new Mp4Error(`sample ${fragment.firstSample} is not a key frame`)
				segments.push({ bytes: fragmentBytes, ticks: fragment.ticks })
			}
			const next = cuts?.[segments.length]
			if (next !== undefined && fragment.firstSample + fragment.samples > next)
				throw new Mp4Error(`sample ${next} begins a segment but is not a key frame`)
			await file.writeFile(moof)
			await file.writeFile(box.bytes)
			bytes += fragmentBytes
			moof = undefined
		}
		// Other boxes would lie between the segments, and players don't need them.
	}
	if (moof || segments.length === 0) throw new Mp4Error('the file is truncated')
	if (cuts && segments.length !== cuts.length)
		throw new Mp4Error(`the file has ${segments.length} segments instead of ${cuts.length}`)
	return { bytes, initBytes, segments, tracks: [...tracks.values()] }
}

type Track = MuxedTrack & { edit: number }

/** Without it, some players know the duration only after reading the whole file. */
function addDuration(moov: Buffer, durationSec: number): Buffer {
	const timescale = readTimescale(requireBox(moov.subarray(8), ['mvhd']))
	const mehd = writeFullBox('mehd', 0, 0, [writeWords(Math.round(durationSec * timescale))])
	return changeBoxes(moov, 'moov', (boxes) =>
		changeBoxes(boxes, 'mvex', (extension) => Buffer.concat([mehd, extension])),
	)
}

function* describeTracks(moov: Buffer): Generator<[id: number, Track]> {
	for (const { type, body } of readBoxes(moov.subarray(8))) {
		if (type !== 'trak') continue
		const tkhd = requireBox(body, ['tkhd'])
		const timescale = readTimescale(requireBox(body, ['mdia', 'mdhd']))
		const id = tkhd.readUInt32BE(tkhd.readUInt8(0) === 1 ? 20 : 12)
		yield [id, { timescale, edit: editOf(body), samples: 0, start: 0, end: 0 }]
	}
}

/** Returns the presentation time that the edit list moves to 0. */
function editOf(trak: Buffer): number {
	const elst = findBox(trak, ['edts', 'elst'])
	if (!elst) return 0
	const time = elst.readUInt8(0) === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12)
	if (elst.readUInt32BE(4) !== 1 || time < 0) throw new Mp4Error('the track does not start at 0')
	return time
}

/** Adds the samples of a fragment to their tracks; describes those of the first track. */
function addFragment(tracks: ReadonlyMap<number, Track>, moof: Buffer, mdat: Buffer) {
	const [leadId] = tracks.keys()
	let lead: { firstSample: number; samples: number; ticks: number; isKey: boolean } | undefined
	let dataBytes = 0
	for (const { trackId, baseTime, samples } of readTracks(moof.subarray(8))) {
		const track = tracks.get(trackId)
		const [first] = samples
		if (!track || !first) throw new Mp4Error('a fragment has no samples, or belongs to an unknown track')
		let time = baseTime
		let firstTime = Number.POSITIVE_INFINITY
		for (const { duration, size, compositionOffset } of samples) {
			firstTime = Math.min(firstTime, time + compositionOffset - track.edit)
			time += duration
			dataBytes += size
		}
		if (track.samples === 0) track.start = track.end = firstTime
		if (firstTime !== track.end)
			throw new Mp4Error(`a fragment begins at ${firstTime}, the one before ends at ${track.end}`)
		const ticks = time - baseTime
		if (trackId === leadId) {
			const hidden = track.samples === 0 ? Math.min(0, track.start) : 0
			lead = {
				firstSample: track.samples,
				samples: samples.length,
				ticks: ticks + hidden,
				isKey: isKeySample(first),
			}
		}
		track.samples += samples.length
		track.end += ticks
	}
	if (dataBytes !== mdat.length - 8) throw new Mp4Error('the size of a fragment does not match its samples')
	if (!lead) throw new Mp4Error('a fragment has no samples of the first track')
	return lead
}

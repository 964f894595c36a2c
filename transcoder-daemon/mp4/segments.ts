import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { findBox, Mp4Error, readBoxes, readTimescale, requireBox } from './boxes.ts'
import { readCodecs } from './codecs-string.ts'

/** `ftyp` and `moov`: the data a player needs before any segment. */
export type Init = {
	kind: 'init'
	bytes: Buffer
	sha256: string
	/** The `CODECS` value of playlists. */
	codecs: string
	/** Ticks per second of all times in the fragments. */
	timescale: number
	/** Ticks that the edit list subtracts from presentation times. */
	edit: number
}

/** `moof` and `mdat`, or several of them joined into a segment. */
export type Fragment = {
	kind: 'fragment'
	bytes: Buffer
	/** Video frames, or access units of audio. */
	samples: number
	/** Bytes up to the end of the first sample. */
	keyBytes: number
	/** Whether the first sample is a key frame. */
	isKey: boolean
	/** Decode time of the first sample, in ticks. */
	baseTime: number
	durationTicks: number
	/** Earliest presentation time in ticks, after the edit list. */
	firstPts: number
}

/** Larger than any real segment; a bogus size from ffmpeg must not exhaust memory. */
const MAX_BOX_BYTES = 512 * 1024 ** 2
const MAX_INIT_BYTES = 4 * 1024 ** 2

/**
 * Reads a fragmented MP4 of one track as it is written, holding one fragment at a time. Throws when the stream ends
 * inside a box, so that yielded fragments are complete.
 */
export async function* readFragments(stream: Readable): AsyncGenerator<Init | Fragment> {
	const init: Buffer[] = []
	let moof: Buffer | undefined
	let edit = 0
	for await (const { type, bytes } of readTopBoxes(stream)) {
		if (type === 'ftyp' || type === 'moov') {
			init.push(bytes)
			if (type !== 'moov') continue
			const described = describeInit(init)
			edit = described.edit
			yield described
		} else if (type === 'moof') {
			moof = bytes
		} else if (type === 'mdat') {
			if (!moof) throw new Mp4Error('the media data has no fragment header')
			yield describeFragment(moof, bytes, edit)
			moof = undefined
		}
		// styp, sidx, mfra and free carry information that players get from playlists.
	}
	if (moof) throw new Mp4Error('the last fragment is truncated')
	if (init.length === 0) throw new Mp4Error('the stream is empty')
}

/** Reads the boxes at the top level as they are written, one at a time. Throws when the stream ends inside a box. */
export async function* readTopBoxes(stream: Readable): AsyncGenerator<{ type: string; bytes: Buffer }> {
	const source = new ByteSource(stream)
	let maxBytes = MAX_INIT_BYTES
	for (;;) {
		const bytes = await readBox(source, maxBytes)
		if (!bytes) return
		const type = bytes.toString('latin1', 4, 8)
		if (type === 'moov') maxBytes = MAX_BOX_BYTES
		yield { type, bytes }
	}
}

/** Joins fragments into one segment, for encoders that fragment more finely. */
export function joinFragments(fragments: readonly Fragment[]): Fragment {
	const [first] = fragments
	if (!first) throw new Mp4Error('there are no fragments to join')
	if (fragments.length === 1) return first
	const sum = (of: (fragment: Fragment) => number) => fragments.reduce((sum, each) => sum + of(each), 0)
	return {
		...first,
		bytes: Buffer.concat(fragments.map(({ bytes }) => bytes)),
		samples: sum(({ samples }) => samples),
		durationTicks: sum(({ durationTicks }) => durationTicks),
		firstPts: Math.min(...fragments.map(({ firstPts }) => firstPts)),
	}
}

function describeInit(boxes: readonly Buffer[]): Init {
	const bytes = Buffer.concat(boxes)
	const moov = requireBox(bytes, ['moov'])
	const mdhd = requireBox(moov, ['trak', 'mdia', 'mdhd'])
	const elst = findBox(moov, ['trak', 'edts', 'elst'])
	return {
		kind: 'init',
		bytes,
		sha256: createHash('sha256').update(bytes).digest('hex'),
		codecs: readCodecs(moov),
		timescale: readTimescale(mdhd),
		edit: elst && elst.length >= 20 ? elst.readInt32BE(12) : 0,
	}
}

const HAS = {
	baseDataOffset: 0x1,
	sampleDescription: 0x2,
	defaultDuration: 0x8,
	defaultSize: 0x10,
	defaultFlags: 0x20,
	dataOffset: 0x1,
	firstFlags: 0x4,
	duration: 0x100,
	size: 0x200,
	flags: 0x400,
	compositionOffset: 0x800,
}
const NOT_SYNC = 0x10000

/** Decode time of the first sample, and all samples in decoding order. */
type Samples = { baseTime: number; samples: Sample[] }

/** Reads the samples that a `moof` describes in its `mdat`. */
export const readSamples = (moof: Buffer): Samples => readTraf(requireBox(moof.subarray(8), ['traf']))

/** Reads the samples of each track that a `moof` describes. */
export const readTracks = (moofBody: Buffer): ({ trackId: number } & Samples)[] =>
	[...readBoxes(moofBody)].flatMap(({ type, body }) =>
		type === 'traf' ? [{ trackId: requireBox(body, ['tfhd']).readUInt32BE(4), ...readTraf(body) }] : [],
	)

/** Returns the samples of all fragments in the buffer. Throws on a truncated box. */
export const iterateSamples = (bytes: Buffer): Sample[] =>
	[...readBoxes(bytes)].flatMap(({ type, body }) =>
		type === 'moof' ? readTraf(requireBox(body, ['traf'])).samples : [],
	)

function readTraf(traf: Buffer): Samples {
	const defaults = readDefaults(requireBox(traf, ['tfhd']))
	const tfdt = requireBox(traf, ['tfdt'])
	// Signed: ffmpeg writes negative times as they are.
	const baseTime = tfdt.readUInt8(0) === 1 ? Number(tfdt.readBigInt64BE(4)) : tfdt.readUInt32BE(4)
	const samples = [...readBoxes(traf)].flatMap((box) =>
		box.type === 'trun' ? [...readRun(box.body, defaults)] : [],
	)
	return { baseTime, samples }
}

function describeFragment(moof: Buffer, mdat: Buffer, edit: number): Fragment {
	const { baseTime, samples } = readSamples(moof)
	const [first] = samples
	if (!first) throw new Mp4Error('a fragment has no samples')
	const bytes = samples.reduce((sum, { size }) => sum + size, 0)
	if (bytes !== mdat.length - 8) throw new Mp4Error('the size of a fragment does not match its samples')
	let time = baseTime
	let firstPts = Number.POSITIVE_INFINITY
	for (const { duration, compositionOffset } of samples) {
		firstPts = Math.min(firstPts, time + compositionOffset)
		time += duration
	}
	return {
		kind: 'fragment',
		bytes: Buffer.concat([moof, mdat]),
		samples: samples.length,
		keyBytes: moof.length + 8 + first.size,
		isKey: isKeySample(first),
		baseTime,
		durationTicks: time - baseTime,
		firstPts: firstPts - edit,
	}
}

type Defaults = { duration: number; size: number; flags: number }

function readDefaults(tfhd: Buffer): Defaults {
	const has = tfhd.readUIntBE(1, 3)
	let at = 8
	if (has & HAS.baseDataOffset) at += 8
	if (has & HAS.sampleDescription) at += 4
	const next = (flag: number) => {
		if (!(has & flag)) return 0
		at += 4
		return tfhd.readUInt32BE(at - 4)
	}
	return {
		duration: next(HAS.defaultDuration),
		size: next(HAS.defaultSize),
		flags: next(HAS.defaultFlags),
	}
}

export type Sample = Defaults & { compositionOffset: number }

export const isKeySample = ({ flags }: Sample): boolean => (flags & NOT_SYNC) === 0

function* readRun(trun: Buffer, defaults: Defaults): Generator<Sample> {
	const has = trun.readUIntBE(1, 3)
	const count = trun.readUInt32BE(4)
	let at = has & HAS.dataOffset ? 12 : 8
	const next = (flag: number, otherwise: number) => {
		if (!(has & flag)) return otherwise
		at += 4
		return trun.readUInt32BE(at - 4)
	}
	let flags = next(HAS.firstFlags, defaults.flags)
	for (let sample = 0; sample < count; sample++) {
		const duration = next(HAS.duration, defaults.duration)
		const size = next(HAS.size, defaults.size)
		flags = next(HAS.flags, sample === 0 ? flags : defaults.flags)
		// Signed in every version: ffmpeg writes negative offsets as they are.
		yield { duration, size, flags, compositionOffset: next(HAS.compositionOffset, 0) | 0 }
	}
}

/** Reads the next box; null at the end of the stream. */
async function readBox(source: ByteSource, maxBytes: number): Promise<Buffer | null> {
	const size = await source.peekUInt32()
	if (size === null) return null
	if (size < 8 || size > maxBytes) throw new Mp4Error(`a box has the invalid size of ${size} bytes`)
	return source.take(size)
}

/** Reads a stream in pieces of requested sizes, joining small chunks only once. */
class ByteSource {
	readonly #chunks: AsyncIterator<Buffer>
	#buffered: Buffer = Buffer.alloc(0)

	constructor(stream: Readable) {
		this.#chunks = stream[Symbol.asyncIterator]()
	}

	async peekUInt32(): Promise<number | null> {
		const bytes = await this.#gather(4)
		if (bytes.length === 0) return null
		if (bytes.length < 4) throw new Mp4Error('the stream ends inside a box')
		return bytes.readUInt32BE(0)
	}

	async take(length: number): Promise<Buffer> {
		const bytes = await this.#gather(length)
		if (bytes.length < length) throw new Mp4Error('the stream ends inside a box')
		this.#buffered = bytes.subarray(length)
		return bytes.subarray(0, length)
	}

	/** Buffers and returns at least `length` bytes; fewer at the end of the stream. */
	async #gather(length: number): Promise<Buffer> {
		const parts = [this.#buffered]
		let bufferedBytes = this.#buffered.length
		while (bufferedBytes < length) {
			const { value, done } = await this.#chunks.next()
			if (done) break
			parts.push(value)
			bufferedBytes += value.length
		}
		this.#buffered = parts.length === 1 ? this.#buffered : Buffer.concat(parts)
		return this.#buffered
	}
}

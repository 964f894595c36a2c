import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { findBox, Mp4Error, readBoxes, requireBox } from './boxes.ts'
import { readCodecs } from './codecs-string.ts'

/** `ftyp` and `moov`: what a player needs before any segment. */
export type Init = {
	kind: 'init'
	bytes: Buffer
	sha256: string
	/** As `CODECS` of a playlist has it. */
	codecs: string
	/** Ticks in a second, of all times in the fragments. */
	timescale: number
	/** Ticks that its edit list takes from the times at which pictures are shown. */
	edit: number
}

/** `moof` and `mdat`; or several of them, joined to a segment. */
export type Fragment = {
	kind: 'fragment'
	bytes: Buffer
	/** Frames of pictures, or access units of sound. */
	samples: number
	/** From the beginning to the end of the first sample. */
	keyBytes: number
	/** Whether the first sample needs no other. */
	isKey: boolean
	/** Decode time of the first sample, in ticks. */
	baseTime: number
	durationTicks: number
	/** Of the earliest sample as shown, in ticks, the edit list obeyed. */
	firstPts: number
}

/** Far above any segment of a sane bit rate: what ffmpeg claims must not use up the memory. */
const MAX_BOX_BYTES = 512 * 1024 ** 2
const MAX_INIT_BYTES = 4 * 1024 ** 2

/**
 * Reads fragmented MP4 of one track as it is made. Holds one fragment at a time, and reads on only when it was taken.
 * Throws when the stream ends within a box: what is yielded is whole.
 */
export async function* readFragments(stream: Readable): AsyncGenerator<Init | Fragment> {
	const source = new ByteSource(stream)
	const init: Buffer[] = []
	let moof: Buffer | undefined
	let edit = 0
	for (;;) {
		const box = await readBox(source, moof || init.length === 2 ? MAX_BOX_BYTES : MAX_INIT_BYTES)
		if (!box) break
		const type = box.toString('latin1', 4, 8)
		if (type === 'ftyp' || type === 'moov') {
			init.push(box)
			if (type !== 'moov') continue
			const described = describeInit(init)
			edit = described.edit
			yield described
		} else if (type === 'moof') {
			moof = box
		} else if (type === 'mdat') {
			if (!moof) throw new Mp4Error('media data without a description')
			yield describeFragment(moof, box, edit)
			moof = undefined
		}
		// styp, sidx, mfra and free tell players of files what playlists tell ours.
	}
	if (moof) throw new Mp4Error('the last fragment is cut off')
	if (init.length === 0) throw new Mp4Error('nothing was written')
}

/** What a player gets as one segment, where an encoder fragments finer than that. */
export function joinFragments(fragments: readonly Fragment[]): Fragment {
	const [first] = fragments
	if (!first) throw new Mp4Error('no fragments to join')
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
		timescale: mdhd.readUInt32BE(mdhd.readUInt8(0) === 1 ? 20 : 12),
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

/** What a `moof` says of the samples in the `mdat` behind it. */
export const readSamples = (moof: Buffer): { baseTime: number; samples: Sample[] } =>
	readTraf(requireBox(moof.subarray(8), ['traf']))

/** Samples of all fragments in bytes that are held. Throws where a box is cut off. */
export const samplesIn = (bytes: Buffer): Sample[] =>
	[...readBoxes(bytes)].flatMap(({ type, body }) =>
		type === 'moof' ? readTraf(requireBox(body, ['traf'])).samples : [],
	)

function readTraf(traf: Buffer): { baseTime: number; samples: Sample[] } {
	const defaults = readDefaults(requireBox(traf, ['tfhd']))
	const tfdt = requireBox(traf, ['tfdt'])
	// Signed, as ffmpeg writes what lies before the beginning as it is.
	const baseTime = tfdt.readUInt8(0) === 1 ? Number(tfdt.readBigInt64BE(4)) : tfdt.readUInt32BE(4)
	const samples = [...readBoxes(traf)].flatMap((box) =>
		box.type === 'trun' ? [...readRun(box.body, defaults)] : [],
	)
	return { baseTime, samples }
}

function describeFragment(moof: Buffer, mdat: Buffer, edit: number): Fragment {
	const { baseTime, samples } = readSamples(moof)
	const [first] = samples
	if (!first) throw new Mp4Error('a fragment without samples')
	const bytes = samples.reduce((sum, { size }) => sum + size, 0)
	if (bytes !== mdat.length - 8) throw new Mp4Error('a fragment does not hold what it says')
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
		isKey: (first.flags & NOT_SYNC) === 0,
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
		// Signed, whatever the version says: ffmpeg writes negative ones as they are.
		yield { duration, size, flags, compositionOffset: next(HAS.compositionOffset, 0) | 0 }
	}
}

/** null at the end of the stream. */
async function readBox(source: ByteSource, maxBytes: number): Promise<Buffer | null> {
	const size = await source.peekUInt32()
	if (size === null) return null
	if (size < 8 || size > maxBytes) throw new Mp4Error(`a box of ${size} bytes`)
	return source.take(size)
}

/** Bytes of a stream in pieces of the sizes one asks for; joined once, however small they come. */
class ByteSource {
	readonly #chunks: AsyncIterator<Buffer>
	#held: Buffer = Buffer.alloc(0)

	constructor(stream: Readable) {
		this.#chunks = stream[Symbol.asyncIterator]()
	}

	async peekUInt32(): Promise<number | null> {
		const bytes = await this.#gather(4)
		if (bytes.length === 0) return null
		if (bytes.length < 4) throw new Mp4Error('the stream ends within a box')
		return bytes.readUInt32BE(0)
	}

	async take(length: number): Promise<Buffer> {
		const bytes = await this.#gather(length)
		if (bytes.length < length) throw new Mp4Error('the stream ends within a box')
		this.#held = bytes.subarray(length)
		return bytes.subarray(0, length)
	}

	/** At least so many bytes, held on to; fewer at the end of the stream. */
	async #gather(length: number): Promise<Buffer> {
		const parts = [this.#held]
		let held = this.#held.length
		while (held < length) {
			const { value, done } = await this.#chunks.next()
			if (done) break
			parts.push(value)
			held += value.length
		}
		this.#held = parts.length === 1 ? this.#held : Buffer.concat(parts)
		return this.#held
	}
}

import { findBox, findBoxes, readBoxes, toDataView } from './boxes.ts'
import { readSequenceParameters } from './h264.ts'

export type Track = {
	id: number
	kind: 'video' | 'audio' | 'other'
	timescale: number
	/** Ticks by which its edit list shifts presentation times. */
	edit: number
	/** Its name in CODECS. */
	codec: string
	width: number
	height: number
	/** null if unknown, because the codec's parameters are not parsed. */
	isInterlaced: boolean | null
	color: string | null
	channels: number
	sampleRate: number
	/** Size of the length field before each NAL unit; 0 if there is none. */
	lengthBytes: number
	/** Values of samples, unless a fragment overrides them. */
	defaults: { duration: number; size: number; flags: number }
}

export type Init = { tracks: Track[] }

const hex = (n: number): string => n.toString(16).padStart(2, '0')

/** Reads the init segment of a fragmented MP4; anything else has no tracks. */
export function readInit(bytes: Uint8Array): Init {
	return {
		tracks: findBoxes(bytes, 'moov/trak').flatMap(({ body }) => {
			const track = readTrack(body)
			return track ? [{ ...track, defaults: readDefaults(bytes, track.id) }] : []
		}),
	}
}

function readTrack(trak: Uint8Array): Omit<Track, 'defaults'> | null {
	const header = findBox(trak, 'tkhd')
	const media = findBox(trak, 'mdia/mdhd')
	const handler = findBox(trak, 'mdia/hdlr')
	const list = findBox(trak, 'edts/elst')
	const description = findBox(trak, 'mdia/minf/stbl/stsd')
	if (!header || !media || !handler || !description) return null
	const type = String.fromCharCode(...handler.body.subarray(8, 12))
	const kind = type === 'vide' ? 'video' : type === 'soun' ? 'audio' : 'other'
	const entry = readBoxes(description.body.subarray(8))[0]
	const isLong = (at: Uint8Array) => at[0] === 1
	const id = toDataView(header.body).getUint32(isLong(header.body) ? 20 : 12)
	const timescale = toDataView(media.body).getUint32(isLong(media.body) ? 20 : 12)
	const blank = {
		...({ id, kind, timescale, edit: list ? readEdit(list.body) : 0, codec: entry?.type ?? '' } as const),
		...{ width: 0, height: 0, isInterlaced: null, color: null, channels: 0, sampleRate: 0, lengthBytes: 0 },
	}
	if (!entry) return blank
	if (kind === 'video') return { ...blank, ...readPicture(entry.type, entry.body) }
	return kind === 'audio' ? { ...blank, ...readSound(entry.type, entry.body) } : blank
}

/** Returns the media time of a single edit. Lists with several edits are not valid in HLS. */
function readEdit(list: Uint8Array): number {
	const view = toDataView(list)
	if (view.getUint32(4) !== 1) return 0
	const at = list[0] === 1 ? Number(view.getBigInt64(16)) : view.getInt32(12)
	return Math.max(0, at)
}

function readDefaults(bytes: Uint8Array, trackId: number): Track['defaults'] {
	for (const { body } of findBoxes(bytes, 'moov/mvex/trex')) {
		const view = toDataView(body)
		if (view.getUint32(4) === trackId)
			return { duration: view.getUint32(12), size: view.getUint32(16), flags: view.getUint32(20) }
	}
	return { duration: 0, size: 0, flags: 0 }
}

/** Size of the VisualSampleEntry fields before its child boxes. */
const VISUAL_HEADER = 78

function readPicture(format: string, entry: Uint8Array): Partial<Track> {
	const view = toDataView(entry)
	const inner = entry.subarray(VISUAL_HEADER)
	const size = { width: view.getUint16(24), height: view.getUint16(26) }
	const color = readColorBox(inner)
	const avc = findBox(inner, 'avcC')?.body
	if (avc) {
		const parameters = readFirstParameters(avc)
		return {
			...size,
			codec: `${format}.${[...avc.subarray(1, 4)].map(hex).join('')}`,
			isInterlaced: parameters?.isInterlaced ?? null,
			color: color ?? parameters?.color ?? null,
			lengthBytes: ((avc[4] ?? 3) & 3) + 1,
		}
	}
	const hevc = findBox(inner, 'hvcC')?.body
	if (hevc) return { ...size, color, ...readHevc(format, hevc) }
	const av1 = findBox(inner, 'av1C')?.body
	return { ...size, color, codec: av1 ? nameAv1(av1) : format }
}

function readFirstParameters(avc: Uint8Array) {
	const length = avc.length > 8 ? toDataView(avc).getUint16(6) : 0
	return ((avc[5] ?? 0) & 31) > 0 ? readSequenceParameters(avc.subarray(8, 8 + length)) : null
}

function readHevc(format: string, hevc: Uint8Array): Partial<Track> {
	const view = toDataView(hevc)
	const profile = view.getUint8(1)
	const space = ['', 'A', 'B', 'C'][profile >> 6]
	const tier = profile & 32 ? 'H' : 'L'
	// The compatibility flags are written in reverse bit order.
	let compatibility = 0
	for (let bit = 0; bit < 32; bit++) compatibility = compatibility * 2 + ((view.getUint32(2) >>> bit) & 1)
	const constraints = [...hevc.subarray(6, 12)]
	while (constraints.at(-1) === 0) constraints.pop()
	const first = view.getUint8(6)
	const isProgressive = (first & 128) !== 0
	return {
		codec: [
			format,
			`${space}${profile & 31}`,
			compatibility.toString(16),
			`${tier}${view.getUint8(12)}`,
			...constraints.map((byte) => byte.toString(16).toUpperCase()),
		].join('.'),
		isInterlaced: (first & 64) !== 0 && !isProgressive,
		lengthBytes: (view.getUint8(21) & 3) + 1,
	}
}

function nameAv1(av1: Uint8Array): string {
	const [, second = 0, third = 0] = av1
	const depth = third & 64 ? (third & 32 ? 12 : 10) : 8
	const two = (n: number) => String(n).padStart(2, '0')
	return `av01.${second >> 5}.${two(second & 31)}${third & 128 ? 'H' : 'M'}.${two(depth)}`
}

function readColorBox(entry: Uint8Array): string | null {
	const color = findBox(entry, 'colr')?.body
	if (!color || !['nclx', 'nclc'].includes(String.fromCharCode(...color.subarray(0, 4)))) return null
	const view = toDataView(color)
	return [view.getUint16(4), view.getUint16(6), view.getUint16(8)].join('/')
}

const SOUND_HEADER = 28

function readSound(format: string, entry: Uint8Array): Partial<Track> {
	const view = toDataView(entry)
	const basic = { channels: view.getUint16(16), sampleRate: view.getUint16(24) }
	const descriptor = findBox(entry.subarray(SOUND_HEADER), 'esds')?.body
	return { ...basic, codec: descriptor ? `${format}.${nameAac(descriptor)}` : format }
}

/** Tags of the MPEG-4 descriptors that contain the decoder configuration. */
const [DECODER_CONFIG, DECODER_SPECIFIC] = [4, 5]

function nameAac(descriptor: Uint8Array): string {
	let at = 4
	const readHeader = () => {
		const tag = descriptor[at++]
		let length = 0
		for (let i = 0; i < 4; i++) {
			const byte = descriptor[at++] ?? 0
			length = length * 128 + (byte & 127)
			if (byte < 128) break
		}
		return { tag, length }
	}
	readHeader()
	const flags = descriptor[at + 2] ?? 0
	at += 3 + (flags & 128 ? 2 : 0) + (flags & 32 ? 2 : 0)
	if (readHeader().tag !== DECODER_CONFIG) return '40'
	const object = descriptor[at] ?? 0
	at += 13
	if (object !== 0x40 || readHeader().tag !== DECODER_SPECIFIC) return hex(object)
	const first = descriptor[at] ?? 0
	const kind = first >> 3
	const escaped = 32 + (((first & 7) << 3) | ((descriptor[at + 1] ?? 0) >> 5))
	return `40.${kind === 31 ? escaped : kind}`
}

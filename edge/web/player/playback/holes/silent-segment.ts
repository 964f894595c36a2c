/** One silent frame of AAC-LC, by its number of channels. */
const SILENT_FRAMES: Record<number, readonly number[]> = {
	1: [0x00, 0xc8, 0x00, 0x80, 0x23, 0x80],
	2: [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80],
}
const FRAME_SAMPLES = 1_024
/** Flags of `tfhd`: default duration and default size are present, and offsets are relative to `moof`. */
const TFHD_FLAGS = 0x02_00_00 | 0x08 | 0x10

type Track = { id: number; timescale: number; channels: number }

/**
 * Returns a silent MP4 segment for an AAC-LC track; null for other codecs. `init` is the initialization segment of the
 * track.
 */
export function makeSilentSegment(
	init: Uint8Array,
	startSec: number,
	durationSec: number,
): Uint8Array | null {
	const track = readTrack(init)
	const frame = track && SILENT_FRAMES[track.channels]
	if (!frame) return null
	const frameSec = FRAME_SAMPLES / track.timescale
	const count = Math.ceil(durationSec / frameSec)
	const start = Math.round(startSec / frameSec) * FRAME_SAMPLES
	const writeMoof = (dataOffset: number) =>
		box(
			'moof',
			box('mfhd', numbers(0, 1)),
			box(
				'traf',
				box('tfhd', numbers(TFHD_FLAGS, track.id, FRAME_SAMPLES, frame.length)),
				box('tfdt', numbers(0x01_00_00_00, Math.floor(start / 2 ** 32), start % 2 ** 32)),
				box('trun', numbers(1, count, dataOffset)),
			),
		)
	const moof = writeMoof(writeMoof(0).length + 8)
	return concat([moof, box('mdat', ...Array.from({ length: count }, () => Uint8Array.from(frame)))])
}

/** Returns the start time in an MP4 segment in seconds; null if the segment has none. */
export function readStartSec(init: Uint8Array, segment: Uint8Array): number | null {
	const [mdhd, tfdt] = [indexOf(init, 'mdhd') + 4, indexOf(segment, 'tfdt') + 4]
	if (mdhd < 4 || tfdt < 4) return null
	const view = viewOf(segment)
	const low = view.getUint32(tfdt + 4)
	const time = view.getUint8(tfdt) === 1 ? low * 2 ** 32 + view.getUint32(tfdt + 8) : low
	return time / readTimescale(init, mdhd)
}

/** Returns the audio track of an initialization segment, or null unless its codec is AAC-LC. */
function readTrack(init: Uint8Array): Track | null {
	const view = viewOf(init)
	const find = (name: string) => {
		const at = indexOf(init, name)
		return at < 0 ? null : at + 4
	}
	const [tkhd, mdhd, mp4a, esds] = ['tkhd', 'mdhd', 'mp4a', 'esds'].map(find)
	if (!tkhd || !mdhd || !mp4a || !esds) return null
	// The decoder-specific descriptor (tag 5) begins with the audio object type in 5 bits; AAC-LC is 2.
	const config = init.indexOf(5, indexOf(init, '\u0004', esds))
	const skipsLength = init.subarray(config + 1).findIndex((byte) => byte < 0x80)
	if ((init[config + 2 + skipsLength] ?? 0) >> 3 !== 2) return null
	return {
		id: view.getUint32(tkhd + (view.getUint8(tkhd) === 1 ? 20 : 12)),
		timescale: readTimescale(init, mdhd),
		channels: view.getUint16(mp4a + 16),
	}
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
	new DataView(buffer, byteOffset, byteLength)

function readTimescale(init: Uint8Array, mdhd: number): number {
	const view = viewOf(init)
	return view.getUint32(mdhd + (view.getUint8(mdhd) === 1 ? 20 : 12))
}

function indexOf(bytes: Uint8Array, name: string, from = 0): number {
	const codes = Array.from(name, (character) => character.charCodeAt(0))
	for (let at = from; at + codes.length <= bytes.length; at++)
		if (codes.every((code, offset) => bytes[at + offset] === code)) return at
	return -1
}

const box = (name: string, ...parts: Uint8Array[]): Uint8Array => {
	const length = 8 + parts.reduce((sum, part) => sum + part.length, 0)
	return concat([numbers(length), Uint8Array.from(name, (character) => character.charCodeAt(0)), ...parts])
}

/** Returns 32-bit numbers as big-endian bytes. */
function numbers(...values: readonly number[]): Uint8Array {
	const bytes = new DataView(new ArrayBuffer(values.length * 4))
	for (const [at, value] of values.entries()) bytes.setUint32(at * 4, value)
	return new Uint8Array(bytes.buffer)
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
	const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
	let at = 0
	for (const part of parts) {
		whole.set(part, at)
		at += part.length
	}
	return whole
}

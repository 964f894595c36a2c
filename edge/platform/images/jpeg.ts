import { isTurned, readOrientation, writeOrientation } from './orientation.ts'
import { DamagedImageError, hasText, KeptPieces, viewOf } from './pieces.ts'

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const COMMENT = 0xfe

const isFrame = (marker: number) =>
	marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
/** Huffman tables, arithmetic conditioning, quantization tables, number of lines, restart interval. */
const isTable = (marker: number) => [0xc4, 0xcc, 0xdb, 0xdc, 0xdd].includes(marker)
const isApplication = (marker: number) => marker >= APP0 && marker <= 0xef
const isRestart = (byte: number) => byte >= 0xd0 && byte <= 0xd7

const SCREEN_HEADER_BYTES = 16
const ADOBE_BYTES = 14
const EXIF = 'Exif\0\0'

/**
 * The picture without EXIF, XMP, IPTC, comments and thumbnails, and without whatever stands behind its end: phones put
 * a film there (motion photos), or further pictures (MPF), each with a place of its own. Keeps what says how to draw it:
 * JFIF, ICC profiles, Adobe's colour transform, and the orientation.
 */
export function cleanJpeg(bytes: Uint8Array): Uint8Array[] {
	const pieces = new KeptPieces(bytes)
	const view = viewOf(bytes)
	let screenHeader: Uint8Array | null = null
	let orientation: number | null = null
	let frames = 0
	let scans = 0
	let at = 2
	for (;;) {
		const body = passMarker(bytes, at)
		const marker = bytes[body - 1] as number
		if (marker === END_OF_IMAGE) break
		pieces.count()
		const isKept = isFrame(marker) || isTable(marker) || marker === START_OF_SCAN
		if (!isKept && !isApplication(marker) && marker !== COMMENT)
			throw new DamagedImageError('it has a segment that no JPG has')
		const length = body + 2 <= bytes.byteLength ? view.getUint16(body) : 0
		const end = body + length
		if (length < 2 || end > bytes.byteLength) throw new DamagedImageError('it ends inside a segment')
		const start = body - 2
		const content = bytes.subarray(body + 2, end)
		at = end
		if (isFrame(marker) && ++frames > 1) throw new DamagedImageError('it has two frames')
		if (marker === START_OF_SCAN) {
			scans++
			at = endOfScan(bytes, end)
		}
		if (isKept) pieces.keep(start, at)
		else if (marker === APP0 && hasText(content, 0, 'JFIF\0') && length >= SCREEN_HEADER_BYTES)
			screenHeader ??= shorten(bytes, start, SCREEN_HEADER_BYTES, [0, 0])
		else if (marker === APP1 && hasText(content, 0, EXIF))
			orientation ??= readOrientation(content.subarray(EXIF.length))
		else if (marker === APP2 && hasText(content, 0, 'ICC_PROFILE\0')) pieces.keep(start, end)
		else if (marker === APP14 && hasText(content, 0, 'Adobe') && length >= ADOBE_BYTES)
			pieces.add(shorten(bytes, start, ADOBE_BYTES, []))
	}
	if (frames === 0 || scans === 0) throw new DamagedImageError('it has no image data')
	const head = [bytes.subarray(0, 2), ...(screenHeader ? [screenHeader] : [])]
	if (orientation !== null && isTurned(orientation)) head.push(exifSegment(orientation))
	return [...head, ...pieces.finish(), Uint8Array.of(0xff, END_OF_IMAGE)]
}

/** Where the content of a segment begins. Any number of filling bytes may stand before its marker. */
function passMarker(bytes: Uint8Array, from: number): number {
	let at = from
	while (bytes[at] === 0xff) at++
	if (at === from || at >= bytes.byteLength) throw new DamagedImageError('it ends before its image data does')
	return at + 1
}

/** Coded data go on to the first marker that is no restart; 0xff among them is followed by a zero. */
function endOfScan(bytes: Uint8Array, from: number): number {
	const last = bytes.byteLength - 1
	for (let at = from; at < last; at++) {
		if (bytes[at] !== 0xff) continue
		const next = bytes[at + 1] as number
		if (next !== 0 && next !== 0xff && !isRestart(next)) return at
	}
	throw new DamagedImageError('it ends inside its image data')
}

/** A segment of so many bytes besides its marker; what its last ones are. */
function shorten(bytes: Uint8Array, start: number, length: number, tail: number[]): Uint8Array {
	const segment = bytes.slice(start, start + 2 + length)
	viewOf(segment).setUint16(2, length)
	segment.set(tail, segment.byteLength - tail.length)
	return segment
}

function exifSegment(orientation: number): Uint8Array {
	const content = [...[...EXIF].map((character) => character.charCodeAt(0)), ...writeOrientation(orientation)]
	return Uint8Array.of(0xff, APP1, 0, content.length + 2, ...content)
}

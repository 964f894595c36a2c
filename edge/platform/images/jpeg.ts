import { type CleanedImage, isTransformed, readOrientation, writeOrientation } from './orientation.ts'
import { DamagedImageError, hasTextAt, KeptPieces, toDataView } from './pieces.ts'

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const COMMENT = 0xfe

const isFrame = (marker: number) =>
	marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
/** Matches Huffman tables, arithmetic conditioning, quantization tables, number of lines and restart interval. */
const isTable = (marker: number) => [0xc4, 0xcc, 0xdb, 0xdc, 0xdd].includes(marker)
const isApplication = (marker: number) => marker >= APP0 && marker <= 0xef
const isRestart = (byte: number) => byte >= 0xd0 && byte <= 0xd7

const JFIF_BYTES = 16
const ADOBE_BYTES = 14
const EXIF = 'Exif\0\0'

/**
 * Returns the parts of a JPEG without EXIF, XMP, IPTC, comments and thumbnails. Also drops everything after the end of
 * the image, where phones store videos (motion photos) or more images (MPF), each with its own location. Keeps the
 * segments needed for display: JFIF, ICC profiles, Adobe's color transform and the orientation.
 */
export function cleanJpeg(bytes: Uint8Array): CleanedImage {
	const pieces = new KeptPieces(bytes)
	const view = toDataView(bytes)
	let jfifHeader: Uint8Array | null = null
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
			throw new DamagedImageError('it has an unknown segment')
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
		else if (marker === APP0 && hasTextAt(content, 0, 'JFIF\0') && length >= JFIF_BYTES)
			jfifHeader ??= shortenSegment(bytes, start, JFIF_BYTES, [0, 0])
		else if (marker === APP1 && hasTextAt(content, 0, EXIF))
			orientation ??= readOrientation(content.subarray(EXIF.length))
		else if (marker === APP2 && hasTextAt(content, 0, 'ICC_PROFILE\0')) pieces.keep(start, end)
		else if (marker === APP14 && hasTextAt(content, 0, 'Adobe') && length >= ADOBE_BYTES)
			pieces.add(shortenSegment(bytes, start, ADOBE_BYTES, []))
	}
	if (frames === 0 || scans === 0) throw new DamagedImageError('it has no image data')
	const head = [bytes.subarray(0, 2), ...(jfifHeader ? [jfifHeader] : [])]
	if (orientation !== null && isTransformed(orientation)) head.push(exifSegment(orientation))
	return { parts: [...head, ...pieces.finish(), Uint8Array.of(0xff, END_OF_IMAGE)], orientation }
}

/** Returns the start of a segment's content. Fill bytes may precede its marker. */
function passMarker(bytes: Uint8Array, from: number): number {
	let at = from
	while (bytes[at] === 0xff) at++
	if (at === from || at >= bytes.byteLength) throw new DamagedImageError('it ends before its image data')
	return at + 1
}

/**
 * Returns the end of the coded data: the first marker that is not a restart. Within the data, 0xff is followed by
 * zero.
 */
function endOfScan(bytes: Uint8Array, from: number): number {
	const last = bytes.byteLength - 1
	for (let at = from; at < last; at++) {
		if (bytes[at] !== 0xff) continue
		const next = bytes[at + 1] as number
		if (next !== 0 && next !== 0xff && !isRestart(next)) return at
	}
	throw new DamagedImageError('it ends inside its image data')
}

/** Returns a segment shortened to `length` bytes after its marker, ending with `tail`. */
function shortenSegment(bytes: Uint8Array, start: number, length: number, tail: number[]): Uint8Array {
	const segment = bytes.slice(start, start + 2 + length)
	toDataView(segment).setUint16(2, length)
	segment.set(tail, segment.byteLength - tail.length)
	return segment
}

function exifSegment(orientation: number): Uint8Array {
	const content = [...[...EXIF].map((character) => character.charCodeAt(0)), ...writeOrientation(orientation)]
	return Uint8Array.of(0xff, APP1, 0, content.length + 2, ...content)
}

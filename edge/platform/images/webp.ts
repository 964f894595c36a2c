import { type CleanedImage, isTransformed, readOrientation, writeOrientation } from './orientation.ts'
import { DamagedImageError, hasTextAt, KeptPieces, sumByteLengths, toDataView } from './pieces.ts'

const RIFF_BYTES = 12
const CHUNK_HEADER_BYTES = 8
const FRAME_HEADER_BYTES = 16
const CANVAS_BYTES = 10

/** The flags of VP8X that affect display: color profile, transparency and animation. */
const DRAWING_FLAGS = 0x32
const EXIF_FLAG = 0x08

const stills = new Set(['VP8 ', 'VP8L'])
const inFrames = new Set([...stills, 'ALPH'])
const drawn = new Set([...inFrames, 'ICCP', 'ANIM'])

type Chunk = { name: string; start: number; body: number; end: number; next: number }

/** Returns the parts of a WebP without EXIF, XMP, unknown chunks and trailing data, including within frames. */
export function cleanWebp(bytes: Uint8Array): CleanedImage {
	const end = CHUNK_HEADER_BYTES + toDataView(bytes).getUint32(4, true)
	if (end < RIFF_BYTES || end > bytes.byteLength) throw new DamagedImageError('it is longer than the file')
	const pieces = new KeptPieces(bytes)
	let canvas: Uint8Array | null = null
	let orientation: number | null = null
	let images = 0
	for (const chunk of chunksOf(bytes, RIFF_BYTES, end)) {
		const { name, start, body, next } = chunk
		const isImage = stills.has(name) || name === 'ANMF'
		if (!isImage && name !== 'ALPH') pieces.count()
		if (name === 'VP8X' && start === RIFF_BYTES) {
			canvas = bytes.slice(start, body + CANVAS_BYTES)
			if (canvas.byteLength < CHUNK_HEADER_BYTES + CANVAS_BYTES || chunk.end - body < CANVAS_BYTES)
				throw new DamagedImageError('its header is too short')
		} else if (canvas === null) {
			// Without VP8X, the image is a single chunk, and decoders ignore later ones.
			if (isImage && images++ === 0) pieces.keep(start, next)
		} else if (name === 'ANMF') {
			images++
			pieces.add(...cleanFrame(bytes, chunk))
		} else if (drawn.has(name)) {
			if (isImage) images++
			pieces.keep(start, next)
		} else if (name === 'EXIF')
			orientation ??= readOrientation(
				bytes.subarray(hasTextAt(bytes, body, 'Exif\0\0') ? body + 6 : body, chunk.end),
			)
	}
	if (images === 0) throw new DamagedImageError('it has no image data')
	const exifOrientation = canvas && orientation !== null && isTransformed(orientation) ? orientation : null
	const parts = [
		...(canvas ? [writeCanvas(canvas, exifOrientation !== null)] : []),
		...pieces.finish(),
		...(exifOrientation === null
			? []
			: [chunkHeader('EXIF', writeOrientation(exifOrientation).length), writeOrientation(exifOrientation)]),
	]
	const head = [chunkHeader('RIFF', sumByteLengths(parts) + 4), bytes.subarray(8, RIFF_BYTES)]
	return { parts: [...head, ...parts], orientation: exifOrientation }
}

/** Yields the chunks of a range. A padding byte follows a chunk of odd length; the last chunk may lack it. */
function* chunksOf(bytes: Uint8Array, from: number, end: number): Generator<Chunk> {
	const view = toDataView(bytes)
	for (let at = from; at + CHUNK_HEADER_BYTES <= end; ) {
		const size = view.getUint32(at + 4, true)
		const body = at + CHUNK_HEADER_BYTES
		if (body + size > end) throw new DamagedImageError('a chunk is longer than its container')
		const name = String.fromCharCode(...bytes.subarray(at, at + 4))
		const next = Math.min(body + size + (size % 2), end)
		yield { name, start: at, body, end: body + size, next }
		at = next
	}
}

/** Cleans a frame of an animation, which contains chunks itself. */
function cleanFrame(bytes: Uint8Array, { body, end }: Chunk): Uint8Array[] {
	const first = body + FRAME_HEADER_BYTES
	if (first > end) throw new DamagedImageError('a frame is too short')
	const pieces = new KeptPieces(bytes)
	pieces.keep(body, first)
	for (const { name, start, next } of chunksOf(bytes, first, end)) {
		if (inFrames.has(name)) pieces.keep(start, next)
		else pieces.count()
	}
	const parts = pieces.finish()
	const size = sumByteLengths(parts)
	return [chunkHeader('ANMF', size), ...parts, new Uint8Array(size % 2)]
}

/** Writes the header and flags of VP8X, whose content is flags, three reserved bytes, width and height. */
function writeCanvas(canvas: Uint8Array, hasExif: boolean): Uint8Array {
	canvas.set(chunkHeader('VP8X', CANVAS_BYTES))
	canvas.set([((canvas[8] as number) & DRAWING_FLAGS) | (hasExif ? EXIF_FLAG : 0), 0, 0, 0], 8)
	return canvas
}

function chunkHeader(name: string, size: number): Uint8Array {
	const header = Uint8Array.from([...name].map((character) => character.charCodeAt(0)).concat([0, 0, 0, 0]))
	toDataView(header).setUint32(4, size, true)
	return header
}

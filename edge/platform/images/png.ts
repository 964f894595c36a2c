import { type CleanedImage, isTransformed, readOrientation, writeOrientation } from './orientation.ts'
import { DamagedImageError, KeptPieces, toDataView } from './pieces.ts'

const SIGNATURE_BYTES = 8
/** The bytes of a chunk besides its content: length and name before it, a checksum after it. */
const CHUNK_OVERHEAD_BYTES = 12
const HEADER_BYTES = 13

const imageData = new Set(['IDAT', 'fdAT', 'fcTL'])
const drawn = new Set([
	...['IHDR', 'PLTE', 'IEND', 'tRNS', 'acTL', ...imageData],
	...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'bKGD', 'pHYs'],
])

/**
 * Returns the displayed parts of a PNG, without texts, times, EXIF and private chunks. Inflates nothing, so a
 * compressed text can't exhaust memory.
 */
export function cleanPng(bytes: Uint8Array): CleanedImage {
	const pieces = new KeptPieces(bytes)
	const view = toDataView(bytes)
	const signature = bytes.subarray(0, SIGNATURE_BYTES)
	const head = new KeptPieces(bytes)
	let orientation: number | null = null
	let hasData = false
	for (let at = SIGNATURE_BYTES; ; ) {
		if (at + CHUNK_OVERHEAD_BYTES > bytes.byteLength)
			throw new DamagedImageError('it ends before its last chunk')
		const length = view.getUint32(at)
		const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
		const end = at + CHUNK_OVERHEAD_BYTES + length
		if (!/^[A-Za-z]{4}$/.test(name) || end > bytes.byteLength)
			throw new DamagedImageError('a chunk is longer than the file')
		const isFirst = at === SIGNATURE_BYTES
		if ((name === 'IHDR') !== isFirst || (isFirst && length !== HEADER_BYTES))
			throw new DamagedImageError('its header is not at the start')
		if (!imageData.has(name)) pieces.count()
		if (name === 'IDAT') hasData = true
		if (drawn.has(name)) (hasData ? pieces : head).keep(at, end)
		else if (/^[A-Z]/.test(name)) throw new DamagedImageError('it has an unknown critical chunk')
		else if (name === 'eXIf') orientation ??= readOrientation(bytes.subarray(at + 8, end - 4))
		at = end
		if (name === 'IEND') break
	}
	if (!hasData) throw new DamagedImageError('it has no image data')
	const exif = orientation !== null && isTransformed(orientation) ? [exifChunk(orientation)] : []
	return { parts: [signature, ...head.finish(), ...exif, ...pieces.finish()], orientation }
}

function exifChunk(orientation: number): Uint8Array {
	const named = Uint8Array.from([0x65, 0x58, 0x49, 0x66, ...writeOrientation(orientation)])
	const chunk = new Uint8Array(named.byteLength + 8)
	const view = toDataView(chunk)
	view.setUint32(0, named.byteLength - 4)
	chunk.set(named, 4)
	view.setUint32(chunk.byteLength - 4, crc32(named))
	return chunk
}

/** Computes the checksum without a table, since the input is short. */
function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff
	for (const byte of bytes) {
		crc ^= byte
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
	}
	return ~crc >>> 0
}

export type ImageType = { contentType: string; extension: 'jpg' | 'png' | 'webp' }
/** Why an image is rejected: another type, damaged, or too large. */
export type ImageRefusal = { code: 'unsupported_media_type' | 'unprocessable'; problem: string }
type Size = { width: number; height: number }

/** A decoded image takes four bytes per pixel, so this is 200 MB. The best cameras take images of this size. */
export const MAX_IMAGE_PIXELS = 50_000_000
export const MAX_IMAGE_SIDE = 16_384

const types: (ImageType & {
	startsLike(bytes: Uint8Array): boolean
	sizeOf(bytes: DataView): Size | null
})[] = [
	{
		contentType: 'image/jpeg',
		extension: 'jpg',
		startsLike: (b) => has(b, 0, [0xff, 0xd8, 0xff]),
		sizeOf: sizeOfJpeg,
	},
	{
		contentType: 'image/png',
		extension: 'png',
		startsLike: (b) => has(b, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		sizeOf: sizeOfPng,
	},
	// "RIFF", four bytes of length, "WEBP".
	{
		contentType: 'image/webp',
		extension: 'webp',
		startsLike: (b) => has(b, 0, [0x52, 0x49, 0x46, 0x46]) && has(b, 8, [0x57, 0x45, 0x42, 0x50]),
		sizeOf: sizeOfWebp,
	},
]

const has = (bytes: Uint8Array, at: number, expected: number[]) =>
	expected.every((byte, i) => bytes[at + i] === byte)

/**
 * Returns the type of an image by its first bytes, or why it is rejected. The dimensions come from the header, as in
 * decoders: a file of a few kilobytes can declare more pixels than any device has memory for.
 */
export function identifyImage(bytes: Uint8Array): ImageType | ImageRefusal {
	const found = types.find(({ startsLike }) => startsLike(bytes))
	if (!found) return { code: 'unsupported_media_type', problem: 'the file is not a JPEG, PNG or WebP image' }
	const size = found.sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
	if (!size || size.width === 0 || size.height === 0)
		return { code: 'unprocessable', problem: 'the image is damaged' }
	const { width, height } = size
	if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_PIXELS)
		return {
			code: 'unprocessable',
			problem: `the image has ${width} × ${height} pixels; the limit is ${MAX_IMAGE_PIXELS / 1e6} million in total and ${MAX_IMAGE_SIDE} per side`,
		}
	return { contentType: found.contentType, extension: found.extension }
}

const isTag = (bytes: DataView, at: number, tag: string): boolean =>
	at + tag.length <= bytes.byteLength &&
	[...tag].every((char, i) => bytes.getUint8(at + i) === char.charCodeAt(0))

/** Returns null unless the first chunk is IHDR, as the format requires. */
function sizeOfPng(bytes: DataView): Size | null {
	if (bytes.byteLength < 24 || !isTag(bytes, 12, 'IHDR')) return null
	return { width: bytes.getUint32(16), height: bytes.getUint32(20) }
}

/** Matches the frame headers (SOF) of all codings. C4, C8 and CC are other markers in the same range. */
const isFrameHeader = (marker: number) =>
	marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
const START_OF_SCAN = 0xda

function sizeOfJpeg(bytes: DataView): Size | null {
	let at = 2
	while (at + 9 <= bytes.byteLength) {
		if (bytes.getUint8(at) !== 0xff) return null
		const marker = bytes.getUint8(at + 1)
		if (marker === 0xff) {
			at++
			continue
		}
		if (isFrameHeader(marker)) return { height: bytes.getUint16(at + 5), width: bytes.getUint16(at + 7) }
		const length = bytes.getUint16(at + 2)
		if (marker === START_OF_SCAN || length < 2) return null
		at += 2 + length
	}
	return null
}

/** Reads the size from the first chunk: a single frame (VP8 or VP8L) or the canvas of all frames (VP8X). */
function sizeOfWebp(bytes: DataView): Size | null {
	if (bytes.byteLength < 30) return null
	if (isTag(bytes, 12, 'VP8 '))
		return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff }
	if (isTag(bytes, 12, 'VP8L')) {
		const bits = bytes.getUint32(21, true)
		return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
	}
	if (!isTag(bytes, 12, 'VP8X')) return null
	return {
		width: (bytes.getUint32(24, true) & 0xffffff) + 1,
		height: (bytes.getUint32(26, true) >>> 8) + 1,
	}
}

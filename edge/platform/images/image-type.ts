import { readJpegSize, readPngSize, readWebpSize, type Size } from './image-size.ts'
import { toDataView } from './pieces.ts'

export type ImageType = { contentType: string; extension: 'jpg' | 'png' | 'webp' }
/** Why an image is rejected: another type, damaged, or too large. */
export type ImageRefusal = { problem: string }

/** A decoded image takes four bytes per pixel, so this is 200 MB. The best cameras take images of this size. */
export const MAX_IMAGE_PIXELS = 50_000_000
export const MAX_IMAGE_SIDE = 16_384

/** Types that every program shows, including mail clients and link previews. */
const types: (ImageType & {
	startsLike(bytes: Uint8Array): boolean
	readSize(bytes: DataView): Size | null
})[] = [
	{
		contentType: 'image/jpeg',
		extension: 'jpg',
		startsLike: (b) => has(b, 0, [0xff, 0xd8, 0xff]),
		readSize: readJpegSize,
	},
	{
		contentType: 'image/png',
		extension: 'png',
		startsLike: (b) => has(b, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		readSize: readPngSize,
	},
	// "RIFF", four bytes of length, "WEBP".
	{
		contentType: 'image/webp',
		extension: 'webp',
		startsLike: (b) => has(b, 0, [0x52, 0x49, 0x46, 0x46]) && has(b, 8, [0x57, 0x45, 0x42, 0x50]),
		readSize: readWebpSize,
	},
]

const has = (bytes: Uint8Array, at: number, expected: number[]) =>
	expected.every((byte, i) => bytes[at + i] === byte)

/** An SVG may begin with an XML declaration, comments and a document type. */
const SVG_HEAD_BYTES = 1_024

function isSvg(bytes: Uint8Array): boolean {
	const head = new TextDecoder().decode(bytes.subarray(0, SVG_HEAD_BYTES))
	return /^\s*</.test(head) && /<(\w+:)?svg[\s>]/i.test(head)
}

const refuseType = (bytes: Uint8Array): ImageRefusal => ({
	problem: isSvg(bytes)
		? 'SVG images can contain scripts; convert the image to JPEG, PNG or WebP'
		: 'the file is not a JPEG, PNG or WebP image',
})

/** Returns the size in an image's header; null if the header is incomplete. */
export const readImageSize = (bytes: Uint8Array): Size | null =>
	types.find(({ startsLike }) => startsLike(bytes))?.readSize(toDataView(bytes)) ?? null

/**
 * Returns the type of an image by its first bytes, or why it is rejected. Dimensions come from the header: a small
 * file can declare more pixels than any device has memory for.
 */
export function identifyImage(bytes: Uint8Array): (ImageType & Size) | ImageRefusal {
	const found = types.find(({ startsLike }) => startsLike(bytes))
	if (!found) return refuseType(bytes)
	const size = found.readSize(toDataView(bytes))
	if (!size || size.width === 0 || size.height === 0) return { problem: 'the image is damaged' }
	const { width, height } = size
	if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_PIXELS)
		return {
			problem: `the image has ${width} × ${height} pixels; the limit is ${MAX_IMAGE_PIXELS / 1e6} million in total and ${MAX_IMAGE_SIDE} per side`,
		}
	return { contentType: found.contentType, extension: found.extension, width, height }
}

import { sizeOfAvif } from './avif-size.ts'
import { type Size, sizeOfJpeg, sizeOfPng, sizeOfWebp } from './image-size.ts'
import { toDataView } from './pieces.ts'

export type ImageType = { contentType: string; extension: 'jpg' | 'png' | 'webp' | 'avif' }
/** Why an image is rejected: another type, damaged, or too large. */
export type ImageRefusal = { problem: string }

/** A decoded image takes four bytes per pixel, so this is 200 MB. The best cameras take images of this size. */
export const MAX_IMAGE_PIXELS = 50_000_000
export const MAX_IMAGE_SIDE = 16_384

/** The types that every program shows, mail clients and link previews too. */
export const commonTypes = ['jpg', 'png', 'webp'] as const satisfies ImageType['extension'][]

const types: (ImageType & {
	name: string
	startsLike(bytes: Uint8Array): boolean
	readSize(bytes: DataView): Size | null
})[] = [
	{
		name: 'JPEG',
		contentType: 'image/jpeg',
		extension: 'jpg',
		startsLike: (b) => has(b, 0, [0xff, 0xd8, 0xff]),
		readSize: sizeOfJpeg,
	},
	{
		name: 'PNG',
		contentType: 'image/png',
		extension: 'png',
		startsLike: (b) => has(b, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		readSize: sizeOfPng,
	},
	// "RIFF", four bytes of length, "WEBP".
	{
		name: 'WebP',
		contentType: 'image/webp',
		extension: 'webp',
		startsLike: (b) => has(b, 0, [0x52, 0x49, 0x46, 0x46]) && has(b, 8, [0x57, 0x45, 0x42, 0x50]),
		readSize: sizeOfWebp,
	},
	// A box "ftyp" with its brands.
	{
		name: 'AVIF',
		contentType: 'image/avif',
		extension: 'avif',
		startsLike: (b) => has(b, 4, codesOf('ftyp')) && hasBrand(b, 'avif'),
		readSize: ({ buffer, byteOffset, byteLength }) =>
			sizeOfAvif(new Uint8Array(buffer, byteOffset, byteLength)),
	},
]

const has = (bytes: Uint8Array, at: number, expected: number[]) =>
	expected.every((byte, i) => bytes[at + i] === byte)

const codesOf = (text: string) => [...text].map((character) => character.charCodeAt(0))

/** Files have fewer than ten brands. The first one is followed by a version number. */
const MAX_BRAND_BYTES = 128

function hasBrand(bytes: Uint8Array, brand: string): boolean {
	const declared = bytes.byteLength < 16 ? 0 : toDataView(bytes).getUint32(0)
	const end = Math.min(declared, bytes.byteLength, MAX_BRAND_BYTES)
	for (let at = 8; at + 4 <= end; at += 4) if (has(bytes, at, codesOf(brand))) return true
	return false
}

/** An SVG may begin with an XML declaration, comments and a document type. */
const SVG_HEAD_BYTES = 1_024

function isSvg(bytes: Uint8Array): boolean {
	const head = new TextDecoder().decode(bytes.subarray(0, SVG_HEAD_BYTES))
	return /^\s*</.test(head) && /<(\w+:)?svg[\s>]/i.test(head)
}

/** Returns names such as "JPEG, PNG or WebP". */
function namesOf(accepted: readonly ImageType['extension'][]): string {
	const names = types.filter(({ extension }) => accepted.includes(extension)).map(({ name }) => name)
	return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

function refuseType(bytes: Uint8Array, accepted: readonly ImageType['extension'][]): ImageRefusal {
	const names = namesOf(accepted)
	const problem = isSvg(bytes)
		? `SVG images can contain scripts; convert the image to ${names}`
		: `the file is not a ${names} image`
	return { problem }
}

/** Returns the size that the first bytes of an image declare, or null if they are too few. */
export const declaredSize = (bytes: Uint8Array): Size | null =>
	types.find(({ startsLike }) => startsLike(bytes))?.readSize(toDataView(bytes)) ?? null

/**
 * Returns the type of an image by its first bytes, or why it is rejected. The dimensions come from the header, as in
 * decoders: a file of a few kilobytes can declare more pixels than any device has memory for.
 */
export function identifyImage(
	bytes: Uint8Array,
	accepted: readonly ImageType['extension'][] = commonTypes,
): ImageType | ImageRefusal {
	const found = types.find(({ extension, startsLike }) => accepted.includes(extension) && startsLike(bytes))
	if (!found) return refuseType(bytes, accepted)
	const size = found.readSize(toDataView(bytes))
	if (!size || size.width === 0 || size.height === 0) return { problem: 'the image is damaged' }
	const { width, height } = size
	if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_PIXELS)
		return {
			problem: `the image has ${width} × ${height} pixels; the limit is ${MAX_IMAGE_PIXELS / 1e6} million in total and ${MAX_IMAGE_SIDE} per side`,
		}
	return { contentType: found.contentType, extension: found.extension }
}

import { rgbaToThumbHash } from 'thumbhash'

type Size = { width: number; height: number }

/** The encoder's maximum. */
const MAX_SIDE = 100
const BYTES_PER_PIXEL = 4

/** Returns the size of the small picture that a placeholder is made from. Never enlarges. */
export function choosePlaceholderSize({ width, height }: Size): Size {
	const factor = Math.min(1, MAX_SIDE / Math.max(width, height))
	const scaled = (side: number) => Math.max(1, Math.round(side * factor))
	return { width: scaled(width), height: scaled(height) }
}

/** Returns the ThumbHash of one of several RGBA pictures of the same size, in base64. */
export function computePlaceholder(pictures: Buffer, { width, height }: Size, index: number): string {
	const bytes = width * height * BYTES_PER_PIXEL
	const rgba = pictures.subarray(index * bytes, (index + 1) * bytes)
	if (rgba.length !== bytes) throw new Error(`there is no small picture with index ${index}`)
	return Buffer.from(rgbaToThumbHash(width, height, rgba)).toString('base64')
}

import { rgbaToDataURL, thumbHashToRGBA } from 'thumbhash'

/** A quarter of the pixels looks the same when blurred, and keeps the page small. */
const SHRINK = 2

/** Returns a small blurred image as a `data:` URL, shown until the poster has loaded. */
export function renderPlaceholderImage(placeholder: string): string {
	const { w, h, rgba } = thumbHashToRGBA(
		Uint8Array.from(atob(placeholder), (character) => character.charCodeAt(0)),
	)
	const [width, height] = [Math.ceil(w / SHRINK), Math.ceil(h / SHRINK)]
	const pixels = Array.from({ length: width * height }, (_, at) => {
		const start = (Math.floor(at / width) * SHRINK * w + (at % width) * SHRINK) * 4
		return [...rgba.slice(start, start + 4)]
	})
	return rgbaToDataURL(width, height, pixels.flat())
}

import type { Size } from '../../../platform/images/image-size.ts'

/** The shape of the player for audio, and while the size of a video is unknown. */
export const STANDARD_SIZE: Size = { width: 1280, height: 720 }

/** The largest player in a snippet. Pages scale it to their columns anyway. */
const LARGEST_SIDE = 1_280

/** The maximum size requested by another site. */
export type Maximum = { width?: number | undefined; height?: number | undefined }

export const choosePlayerSize = ({ width, height }: { width: number | null; height: number | null }): Size =>
	width && height ? { width, height } : STANDARD_SIZE

/** Scales a size into a box, with the same aspect ratio to the nearest pixel. Never enlarges. */
export function fitWithin({ width, height }: Size, maximum: Maximum = {}): Size {
	const maxWidth = Math.min(maximum.width ?? LARGEST_SIDE, LARGEST_SIDE)
	const maxHeight = Math.min(maximum.height ?? LARGEST_SIDE, LARGEST_SIDE)
	const factor = Math.min(1, maxWidth / width, maxHeight / height)
	return {
		width: Math.max(1, Math.round(width * factor)),
		height: Math.max(1, Math.round(height * factor)),
	}
}

export const isWithin = (size: Size, { width = Infinity, height = Infinity }: Maximum): boolean =>
	size.width <= width && size.height <= height

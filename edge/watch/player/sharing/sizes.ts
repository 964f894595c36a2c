import type { Size } from '../../../platform/images/image-size.ts'

/** The shape of the player while the size of a video is unknown. */
export const STANDARD_SIZE: Size = { width: 1280, height: 720 }

/** The player for audio without video. Its height is the same at each width. */
export const AUDIO_SIZE: Size = { width: 640, height: 180 }

/** The largest player in a snippet. Pages scale it to their columns anyway. */
const LARGEST_SIDE = 1_280

/** The maximum size requested by another site. */
export type Maximum = { width?: number | undefined; height?: number | undefined }

/** Returns the size of the player of a ready asset; without a size, the asset is audio without video. */
export const choosePlayerSize = ({ width, height }: { width: number | null; height: number | null }): Size =>
	width && height ? { width, height } : AUDIO_SIZE

/** Scales a size into a box, with the same aspect ratio to the nearest pixel, or for audio each side. Never enlarges. */
export function fitWithin(size: Size, maximum: Maximum = {}): Size {
	const { width, height } = size
	const maxWidth = Math.min(maximum.width ?? LARGEST_SIDE, LARGEST_SIDE)
	const maxHeight = Math.min(maximum.height ?? LARGEST_SIDE, LARGEST_SIDE)
	if (isAudioSize(size)) return { width: Math.min(width, maxWidth), height: Math.min(height, maxHeight) }
	const factor = Math.min(1, maxWidth / width, maxHeight / height)
	return {
		width: Math.max(1, Math.round(width * factor)),
		height: Math.max(1, Math.round(height * factor)),
	}
}

/** A video may have the same numbers, so this compares objects. */
export const isAudioSize = (size: Size): boolean => size === AUDIO_SIZE

export const isWithin = (size: Size, { width = Infinity, height = Infinity }: Maximum): boolean =>
	size.width <= width && size.height <= height

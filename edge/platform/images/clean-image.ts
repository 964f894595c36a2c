import type { Size } from './image-size.ts'
import { type ImageRefusal, type ImageType, identifyImage } from './image-type.ts'
import { cleanJpeg } from './jpeg.ts'
import { type CleanedImage, orientSize } from './orientation.ts'
import { DamagedImageError, joinParts } from './pieces.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

declare const isClean: unique symbol

/** An image that may be stored: pixels, colors and orientation, without metadata about who took it and where. */
export type CleanImage = ImageType &
	/** The size at which it is shown. */
	Size & { bytes: Uint8Array<ArrayBuffer>; [isClean]: true }

const cleaners: Record<ImageType['extension'], (bytes: Uint8Array) => CleanedImage> = {
	jpg: cleanJpeg,
	png: cleanPng,
	webp: cleanWebp,
}

/**
 * Removes metadata from an image without decoding it: the image data is copied unchanged. Every uploaded image must go
 * through here before it is stored.
 */
export function cleanImage(bytes: Uint8Array): CleanImage | ImageRefusal {
	const type = identifyImage(bytes)
	if ('problem' in type) return type
	try {
		const { parts, orientation } = cleaners[type.extension](bytes)
		return { ...type, ...orientSize(type, orientation), bytes: joinParts(parts) } as CleanImage
	} catch (error) {
		if (!(error instanceof DamagedImageError)) throw error
		return { problem: `the image is damaged: ${error.message}` }
	}
}

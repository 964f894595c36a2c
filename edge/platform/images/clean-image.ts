import { type ImageRefusal, type ImageType, identifyImage } from './image-type.ts'
import { cleanJpeg } from './jpeg.ts'
import { DamagedImageError, joinParts } from './pieces.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

declare const isClean: unique symbol

/** A picture that may be stored: its pixels, its colours, its orientation, and nothing about who made it and where. */
export type CleanImage = ImageType & { bytes: Uint8Array<ArrayBuffer>; [isClean]: true }

const cleaners: Record<ImageType['extension'], (bytes: Uint8Array) => Uint8Array[]> = {
	jpg: cleanJpeg,
	png: cleanPng,
	webp: cleanWebp,
}

/**
 * Takes metadata out of a picture without decoding it: bytes that draw it are copied as they are. Every picture that
 * somebody uploads goes through here before it is stored.
 */
export function cleanImage(bytes: Uint8Array): CleanImage | ImageRefusal {
	const type = identifyImage(bytes)
	if ('problem' in type) return type
	try {
		return { ...type, bytes: joinParts(cleaners[type.extension](bytes)) } as CleanImage
	} catch (error) {
		if (!(error instanceof DamagedImageError)) throw error
		return { code: 'unprocessable', problem: `the image is damaged: ${error.message}` }
	}
}

import type { Size } from './image-size.ts'
import { hasTextAt, toDataView } from './pieces.ts'

/** How an image is rotated and mirrored for display: 1 is as stored, 2 to 8 transform it (TIFF 6.0, tag 274). */
export type Orientation = number

/** The parts of a file that stay, and the orientation in its metadata. */
export type CleanedImage = { parts: Uint8Array[]; orientation: Orientation | null }

const UPRIGHT = 1
/** From here on, an image is rotated by a quarter. */
const FIRST_LYING = 5
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** Reads the orientation from EXIF. Unreadable data counts as upright, because EXIF is dropped anyway. */
export function readOrientation(tiff: Uint8Array): Orientation {
	const view = toDataView(tiff)
	const little = hasTextAt(tiff, 0, 'II*\0')
	if (tiff.byteLength < 8 || (!little && !hasTextAt(tiff, 0, 'MM\0*'))) return UPRIGHT
	const directory = view.getUint32(4, little)
	if (directory + 2 > tiff.byteLength) return UPRIGHT
	const declared = view.getUint16(directory, little)
	const entries = Math.min(declared, Math.floor((tiff.byteLength - directory - 2) / ENTRY_BYTES))
	for (let i = 0; i < entries; i++) {
		const entry = directory + 2 + i * ENTRY_BYTES
		if (view.getUint16(entry, little) !== ORIENTATION) continue
		const value = view.getUint16(entry + 8, little)
		const isValid = view.getUint16(entry + 2, little) === SHORT && value >= 1 && value <= 8
		return isValid ? value : UPRIGHT
	}
	return UPRIGHT
}

export const isTransformed = (orientation: Orientation): boolean => orientation !== UPRIGHT

/** Returns the size at which an image is shown. */
export const orientSize = ({ width, height }: Size, orientation: Orientation | null): Size =>
	(orientation ?? UPRIGHT) < FIRST_LYING ? { width, height } : { width: height, height: width }

/** Returns a TIFF structure that holds only the orientation. */
export const writeOrientation = (orientation: Orientation): Uint8Array =>
	Uint8Array.from([
		...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1],
		...[ORIENTATION >> 8, ORIENTATION & 0xff, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0],
		...[0, 0, 0, 0],
	])

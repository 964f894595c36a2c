import { hasText, viewOf } from './pieces.ts'

/** How a picture is turned before it is shown: 1 is as it is stored, 2 to 8 are the other ways (TIFF 6.0, tag 274). */
export type Orientation = number

const UPRIGHT = 1
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** From the TIFF structure that EXIF is. Whatever cannot be read there says nothing, as it is thrown away in any case. */
export function readOrientation(tiff: Uint8Array): Orientation {
	const view = viewOf(tiff)
	const little = hasText(tiff, 0, 'II*\0')
	if (tiff.byteLength < 8 || (!little && !hasText(tiff, 0, 'MM\0*'))) return UPRIGHT
	const directory = view.getUint32(4, little)
	if (directory + 2 > tiff.byteLength) return UPRIGHT
	const written = view.getUint16(directory, little)
	const entries = Math.min(written, Math.floor((tiff.byteLength - directory - 2) / ENTRY_BYTES))
	for (let i = 0; i < entries; i++) {
		const entry = directory + 2 + i * ENTRY_BYTES
		if (view.getUint16(entry, little) !== ORIENTATION) continue
		const value = view.getUint16(entry + 8, little)
		const isOne = view.getUint16(entry + 2, little) === SHORT && value >= 1 && value <= 8
		return isOne ? value : UPRIGHT
	}
	return UPRIGHT
}

export const isTurned = (orientation: Orientation): boolean => orientation !== UPRIGHT

/** A TIFF structure that says the orientation and nothing else. */
export const writeOrientation = (orientation: Orientation): Uint8Array =>
	Uint8Array.from([
		...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1],
		...[ORIENTATION >> 8, ORIENTATION & 0xff, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0],
		...[0, 0, 0, 0],
	])

import { hasTextAt, toDataView } from './pieces.ts'

const ANIMATED = 0x02
const FLAGS_AT = 20
const PNG_CHUNKS_AT = 8
/** The length, name and checksum of a chunk. */
const PNG_CHUNK_BYTES = 12

/** Whether a WebP or PNG has several frames. */
export const isAnimated = (bytes: Uint8Array): boolean =>
	hasTextAt(bytes, 12, 'VP8X') ? ((bytes[FLAGS_AT] ?? 0) & ANIMATED) !== 0 : isAnimatedPng(bytes)

/** The chunk of an animation comes before the image data. */
function isAnimatedPng(bytes: Uint8Array): boolean {
	if (!hasTextAt(bytes, 1, 'PNG')) return false
	const view = toDataView(bytes)
	for (let at = PNG_CHUNKS_AT; at + PNG_CHUNK_BYTES <= bytes.length; ) {
		if (hasTextAt(bytes, at + 4, 'acTL')) return true
		if (hasTextAt(bytes, at + 4, 'IDAT')) return false
		at += PNG_CHUNK_BYTES + view.getUint32(at)
	}
	return false
}

export type Size = { width: number; height: number }

const isTag = (bytes: DataView, at: number, tag: string): boolean =>
	at + tag.length <= bytes.byteLength &&
	[...tag].every((char, i) => bytes.getUint8(at + i) === char.charCodeAt(0))

/** Returns null unless the first chunk is IHDR, as the format requires. */
export function readPngSize(bytes: DataView): Size | null {
	if (bytes.byteLength < 24 || !isTag(bytes, 12, 'IHDR')) return null
	return { width: bytes.getUint32(16), height: bytes.getUint32(20) }
}

/** Matches the frame headers (SOF) of all codings. C4, C8 and CC are other markers in the same range. */
const isFrameHeader = (marker: number) =>
	marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
const START_OF_SCAN = 0xda

export function readJpegSize(bytes: DataView): Size | null {
	let at = 2
	while (at + 9 <= bytes.byteLength) {
		if (bytes.getUint8(at) !== 0xff) return null
		const marker = bytes.getUint8(at + 1)
		if (marker === 0xff) {
			at++
			continue
		}
		if (isFrameHeader(marker)) return { height: bytes.getUint16(at + 5), width: bytes.getUint16(at + 7) }
		const length = bytes.getUint16(at + 2)
		if (marker === START_OF_SCAN || length < 2) return null
		at += 2 + length
	}
	return null
}

/** Reads the size from the first chunk: a single frame (VP8 or VP8L) or the canvas of all frames (VP8X). */
export function readWebpSize(bytes: DataView): Size | null {
	if (bytes.byteLength < 30) return null
	if (isTag(bytes, 12, 'VP8 '))
		return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff }
	if (isTag(bytes, 12, 'VP8L')) {
		const bits = bytes.getUint32(21, true)
		return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
	}
	if (!isTag(bytes, 12, 'VP8X')) return null
	return {
		width: (bytes.getUint32(24, true) & 0xffffff) + 1,
		height: (bytes.getUint32(26, true) >>> 8) + 1,
	}
}

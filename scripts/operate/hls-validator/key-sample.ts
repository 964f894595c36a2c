import type { Track } from './init-segment.ts'

/**
 * Returns whether a sample is a key frame according to its own bytes, because container flags are often wrong.
 * Returns true if the bytes can't be parsed.
 */
export function isKeySample({ codec, lengthBytes }: Track, sample: Uint8Array | undefined): boolean {
	if (!sample) return true
	if (codec.startsWith('av01')) return isKeyOfAv1(sample)
	const isHevc = /^h(vc|ev)1/.test(codec)
	if (lengthBytes === 0 || !(isHevc || codec.startsWith('avc'))) return true
	return isIdr(sample, lengthBytes, isHevc)
}

function isIdr(sample: Uint8Array, lengthBytes: number, isHevc: boolean): boolean {
	for (let at = 0; at + lengthBytes < sample.length; ) {
		let size = 0
		for (let i = 0; i < lengthBytes; i++) size = size * 256 + (sample[at + i] ?? 0)
		const head = sample[at + lengthBytes] ?? 0
		const type = isHevc ? (head >> 1) & 63 : head & 31
		// The first slice decides; parameter sets and SEI messages may precede it.
		if (isHevc ? type < 32 : type >= 1 && type <= 5) return isHevc ? type === 19 || type === 20 : type === 5
		at += lengthBytes + size
	}
	return false
}

/** OBU types of AV1 (5.3.1). */
const [SEQUENCE_HEADER, FRAME_HEADER, FRAME] = [1, 3, 6]

/**
 * Returns whether a sample is a sync sample as the AV1 binding to MP4 defines it: a shown key frame after its
 * sequence header.
 */
function isKeyOfAv1(sample: Uint8Array): boolean {
	let hasSequence = false
	for (let at = 0; at < sample.length; ) {
		const head = sample[at++] ?? 0
		if (head & 4) at++
		let size = head & 2 ? 0 : sample.length - at
		for (let i = 0; head & 2 && i < 8; i++) {
			const byte = sample[at++] ?? 0
			size += (byte & 127) * 2 ** (7 * i)
			if (byte < 128) break
		}
		const type = (head >> 3) & 15
		if (type === SEQUENCE_HEADER) hasSequence = true
		// show_existing_frame is 0 (1 bit), frame_type is 0, a key frame (2 bits), and show_frame is 1 (1 bit).
		if (type === FRAME_HEADER || type === FRAME) return hasSequence && (sample[at] ?? 0) >> 4 === 1
		at += size
	}
	return false
}

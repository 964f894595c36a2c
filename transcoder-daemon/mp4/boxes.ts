/** A box of an MP4, as views into bytes in memory (ISO/IEC 14496-12). */
type Box = { type: string; body: Buffer }

/** Reads the boxes at the top level of `bytes`. Throws unless they fit exactly. */
export function* readBoxes(bytes: Buffer): Generator<Box> {
	let at = 0
	while (at < bytes.length) {
		if (bytes.length - at < 8) throw new Mp4Error('a box is truncated')
		const size = bytes.readUInt32BE(at)
		if (size < 8 || at + size > bytes.length) throw new Mp4Error('a box is longer than its container')
		yield { type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + size) }
		at += size
	}
}

/** Returns the body of the first box at the path. */
export function findBox(bytes: Buffer, [type, ...rest]: readonly string[]): Buffer | undefined {
	for (const box of readBoxes(bytes))
		if (box.type === type) return rest.length === 0 ? box.body : findBox(box.body, rest)
	return undefined
}

export function requireBox(bytes: Buffer, path: readonly string[]): Buffer {
	const body = findBox(bytes, path)
	if (!body) throw new Mp4Error(`${path.join('/')} is missing`)
	return body
}

/** Returns the ticks per second in an `mvhd` or `mdhd`. */
export const readTimescale = (header: Buffer): number =>
	header.readUInt32BE(header.readUInt8(0) === 1 ? 20 : 12)

export class Mp4Error extends Error {
	override name = 'Mp4Error'
}

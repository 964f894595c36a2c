/** A box of an MP4, as views into bytes that are held already (ISO/IEC 14496-12). */
type Box = { type: string; body: Buffer }

/** Boxes that lie side by side in `bytes`. Throws on anything that does not fit exactly. */
export function* readBoxes(bytes: Buffer): Generator<Box> {
	let at = 0
	while (at < bytes.length) {
		if (bytes.length - at < 8) throw new Mp4Error('a box is cut off')
		const size = bytes.readUInt32BE(at)
		if (size < 8 || at + size > bytes.length) throw new Mp4Error('a box is longer than what holds it')
		yield { type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + size) }
		at += size
	}
}

/** The body of the first box at the end of the path. */
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

export class Mp4Error extends Error {
	override name = 'Mp4Error'
}

/** A box of an ISO file: type and content. `start` counts from the beginning of the file. */
export type Box = { type: string; start: number; size: number; body: Uint8Array }

export const toDataView = (bytes: Uint8Array): DataView =>
	new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads the boxes at one level. The content of a truncated last box ends with the input. */
export function readBoxes(bytes: Uint8Array, base = 0): Box[] {
	const view = toDataView(bytes)
	const boxes: Box[] = []
	for (let at = 0; at + 8 <= bytes.length; ) {
		const short = view.getUint32(at)
		const isLong = short === 1 && at + 16 <= bytes.length
		const size = isLong ? Number(view.getBigUint64(at + 8)) : short || bytes.length - at
		const header = isLong ? 16 : 8
		if (size < header) break
		const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
		boxes.push({ type, start: base + at, size, body: bytes.subarray(at + header, at + size) })
		at += size
	}
	return boxes
}

export const isIsoFile = (bytes: Uint8Array): boolean =>
	['ftyp', 'styp', 'moof', 'moov', 'sidx', 'emsg', 'prft'].includes(
		String.fromCharCode(...bytes.subarray(4, 8)),
	)

/** Returns all boxes at a path such as `moov/trak`. */
export function findBoxes(bytes: Uint8Array, path: string): Box[] {
	const [first, ...rest] = path.split('/')
	const here = readBoxes(bytes).filter(({ type }) => type === first)
	return rest.length === 0 ? here : here.flatMap(({ body }) => findBoxes(body, rest.join('/')))
}

export const findBox = (bytes: Uint8Array, path: string): Box | undefined => findBoxes(bytes, path)[0]

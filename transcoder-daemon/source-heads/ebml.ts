export const EBML = 0x1a45dfa3
export const SEGMENT = 0x18538067

/** Parses a Matroska number of one to eight bytes; all bits set means unknown. */
export function readElementSize(bytes: Buffer): { length: number; value: number | null } | null {
	const first = bytes.readUInt8(0)
	const length = Math.clz32(first) - 23
	if (length > 8) return null
	let value = BigInt(first & (0xff >> length))
	for (let at = 1; at < length; at++) value = value * 256n + BigInt(bytes.readUInt8(at))
	const unknown = (1n << BigInt(7 * length)) - 1n
	return { length, value: value === unknown ? null : Number(value) }
}

/** An element in memory, as Matroska nests them. */
type Element = { id: number; body: Buffer }

/** Reads the elements of `bytes`, up to the first incomplete one. */
export function* readElements(bytes: Buffer): Generator<Element> {
	for (let at = 0; at < bytes.length; ) {
		const head = readElementHead(bytes.subarray(at))
		if (!head || head.size === null || at + head.length + head.size > bytes.length) return
		yield { id: head.id, body: bytes.subarray(at + head.length, at + head.length + head.size) }
		at += head.length + head.size
	}
}

/** Reads the identifier and the size in front of an element; null if they are invalid or truncated. */
export function readElementHead(bytes: Buffer): { id: number; length: number; size: number | null } | null {
	const idLength = Math.clz32(bytes[0] ?? 0) - 23
	if (idLength > 4 || bytes.length <= idLength) return null
	const rest = bytes.subarray(idLength)
	const sizeLength = Math.clz32(rest[0] ?? 0) - 23
	if (rest.length < sizeLength) return null
	const size = readElementSize(rest)
	return size && { id: bytes.readUIntBE(0, idLength), length: idLength + size.length, size: size.value }
}

import { DamagedImageError, toDataView } from './pieces.ts'

/** A box of the ISO base media file format (ISO 14496-12): where it starts in the file, where its content starts, its end. */
export type Box = { name: string; start: number; body: number; end: number }

/** The limit for boxes in one container. A list of a million empty boxes must not become a million objects. */
const MAX_BOXES = 1_000
const HEADER_BYTES = 8
const LONG_HEADER_BYTES = 16

/** Returns the boxes of a range, in order. */
export function boxesIn(bytes: Uint8Array, from: number, end: number): Box[] {
	const view = toDataView(bytes)
	const boxes: Box[] = []
	for (let at = from; at < end; at = boxes.at(-1)?.end ?? end) {
		if (at + HEADER_BYTES > end) throw new DamagedImageError('it ends inside a box')
		if (boxes.length === MAX_BOXES)
			throw new DamagedImageError(`it has more than ${MAX_BOXES} boxes in one container`)
		const declared = view.getUint32(at)
		const isLong = declared === 1 && at + LONG_HEADER_BYTES <= end
		// A box of size 0 extends to the end.
		const size = isLong ? Number(view.getBigUint64(at + HEADER_BYTES)) : declared || end - at
		const body = at + (isLong ? LONG_HEADER_BYTES : HEADER_BYTES)
		if (at + size < body || at + size > end) throw new DamagedImageError('a box is longer than its container')
		const name = String.fromCharCode(...bytes.subarray(at + 4, at + HEADER_BYTES))
		boxes.push({ name, start: at, body, end: at + size })
	}
	return boxes
}

/** Returns the only box of a name. Decoders disagree about which of several counts. */
export function onlyBox(boxes: readonly Box[], name: string): Box {
	const [box, ...more] = boxes.filter((each) => each.name === name)
	if (!box || more.length > 0) throw new DamagedImageError(`it needs exactly one box “${name}”`)
	return box
}

/** Reads the fields of a box one after the other. */
export class BoxReader {
	readonly #view: DataView
	readonly #end: number
	#at: number

	constructor(bytes: Uint8Array, { body, end }: Box) {
		this.#view = toDataView(bytes)
		this.#at = body
		this.#end = end
	}

	get at(): number {
		return this.#at
	}

	/** Reads an unsigned integer of 0, 1, 2, 4 or 8 bytes. A field of 0 bytes is absent and counts as 0. */
	uint(size: number): number {
		const at = this.#at
		this.#at += size
		if (this.#at > this.#end) throw new DamagedImageError('a box is too short')
		if (size === 0) return 0
		if (size === 1) return this.#view.getUint8(at)
		if (size === 2) return this.#view.getUint16(at)
		if (size === 4) return this.#view.getUint32(at)
		if (size === 8) return Number(this.#view.getBigUint64(at))
		throw new DamagedImageError('a field has an unknown size')
	}
}

/** A copy of a file in which every byte is zero that was not kept. All kept bytes have the same place as in the file. */
export class BoxCopy {
	readonly original: Uint8Array
	readonly bytes: Uint8Array

	constructor(original: Uint8Array) {
		this.original = original
		this.bytes = new Uint8Array(original.byteLength)
	}

	keep(start: number, end: number): void {
		this.bytes.set(this.original.subarray(start, end), start)
	}

	/** Leaves an empty box in the place of another. */
	blank({ start, end }: Box): void {
		toDataView(this.bytes).setUint32(start, end - start)
		this.writeName(start + 4, 'free')
	}

	writeName(at: number, name: string): void {
		this.bytes.set(
			[...name].map((character) => character.charCodeAt(0)),
			at,
		)
	}
}

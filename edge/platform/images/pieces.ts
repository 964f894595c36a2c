/** The image violates its format. The message completes the sentence "the image is damaged: …". */
export class DamagedImageError extends Error {
	override name = 'DamagedImageError'
}

/** The limit of segments or chunks without image data. Normal images have fewer than a hundred. */
const MAX_PIECES = 1_000

/**
 * Collects the parts of an image that are kept, in order. Merges adjacent ranges, so that an image of a million chunks
 * does not become a million objects.
 */
export class KeptPieces {
	readonly parts: Uint8Array[] = []
	readonly #bytes: Uint8Array
	#start = 0
	#end = 0
	#counted = 0

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes
	}

	keep(start: number, end: number): void {
		if (start !== this.#end) this.#flush(start)
		this.#end = end
	}

	/** Adds bytes that are not a range of the original image. */
	add(...parts: Uint8Array[]): void {
		this.#flush(this.#end)
		this.parts.push(...parts)
	}

	/** Counts a piece without image data, kept or not. */
	count(): void {
		if (++this.#counted > MAX_PIECES)
			throw new DamagedImageError(`it has more than ${MAX_PIECES} pieces besides its image data`)
	}

	finish(): Uint8Array[] {
		this.#flush(this.#end)
		return this.parts
	}

	#flush(next: number): void {
		if (this.#end > this.#start) this.parts.push(this.#bytes.subarray(this.#start, this.#end))
		this.#start = next
		this.#end = next
	}
}

export const sumByteLengths = (parts: readonly Uint8Array[]): number =>
	parts.reduce((size, part) => size + part.byteLength, 0)

export function joinParts(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const joined = new Uint8Array(sumByteLengths(parts))
	let at = 0
	for (const part of parts) {
		joined.set(part, at)
		at += part.byteLength
	}
	return joined
}

export const hasTextAt = (bytes: Uint8Array, at: number, text: string): boolean =>
	at + text.length <= bytes.byteLength &&
	[...text].every((character, i) => bytes[at + i] === character.charCodeAt(0))

export const toDataView = (bytes: Uint8Array): DataView =>
	new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

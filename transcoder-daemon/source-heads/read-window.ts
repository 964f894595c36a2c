import type { FileHandle } from 'node:fs/promises'

/** Reads at most `length` bytes; fewer at the end of the file. */
export type ReadBytes = (position: number, length: number) => Promise<Buffer>

export const fileReader =
	(file: FileHandle): ReadBytes =>
	async (position, length) => {
		if (position < 0) return Buffer.alloc(0)
		const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
		return buffer.subarray(0, bytesRead)
	}

const WINDOW_BYTES = 64 * 1024

/** Reads a block of the file at once, for box headers close together. */
export class ReadWindow {
	readonly #readBytes: ReadBytes
	#begin = 0
	#bytes: Buffer = Buffer.alloc(0)

	constructor(readBytes: ReadBytes) {
		this.#readBytes = readBytes
	}

	async read(position: number, length: number): Promise<Buffer> {
		const at = position - this.#begin
		if (at >= 0 && at + length <= this.#bytes.length) return this.#bytes.subarray(at, at + length)
		this.#begin = position
		this.#bytes = await this.#readBytes(position, Math.max(length, WINDOW_BYTES))
		return this.#bytes.subarray(0, length)
	}
}

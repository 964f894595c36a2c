import { createHash } from 'node:crypto'
import { fromBase64url, toBase64url } from '../../../platform/tokens/digest.ts'

const BYTES = 32

/** The combined hash of the rows of a table, in any order. Each row must be added once. */
export class RowSetHash {
	readonly #bytes: Uint8Array

	/** Continues with the text of a former hash. */
	constructor(text?: string) {
		this.#bytes = text === undefined ? new Uint8Array(BYTES) : fromBase64url(text)
	}

	add(rowid: number, values: readonly unknown[]): void {
		const hash = createHash('sha256')
			.update(JSON.stringify([rowid, ...values]))
			.digest()
		for (let at = 0; at < BYTES; at++) this.#bytes[at] = (this.#bytes[at] ?? 0) ^ (hash[at] ?? 0)
	}

	toString(): string {
		return toBase64url(this.#bytes)
	}
}

/** The hash of each table, by its name. */
export type TableHashes = Readonly<Record<string, string>>

export type StoredFile = { name: string; sizeBytes: number; crc32: number }

/** Writes numbers in sequence, little-endian. */
export class Fields {
	readonly result: Uint8Array
	readonly #view: DataView
	#at = 0

	constructor(length: number) {
		this.result = new Uint8Array(length)
		this.#view = new DataView(this.result.buffer)
	}

	u16(value: number): this {
		this.#view.setUint16(this.#at, value, true)
		return this.skip(2)
	}

	u32(value: number): this {
		this.#view.setUint32(this.#at, value, true)
		return this.skip(4)
	}

	u64(value: number): this {
		this.#view.setBigUint64(this.#at, BigInt(value), true)
		return this.skip(8)
	}

	/** The fields that both headers of a file share: from the flags to the length of the name. */
	common({ crc32, sizeBytes }: StoredFile, name: Uint8Array, modifiedAt: number): this {
		const { date, time } = dosTime(modifiedAt)
		return this.u16(0).u16(0).u16(time).u16(date).u32(crc32).u32(sizeBytes).u32(sizeBytes).u16(name.length)
	}

	bytes(bytes: Uint8Array): this {
		this.result.set(bytes, this.#at)
		return this.skip(bytes.length)
	}

	skip(length: number): this {
		this.#at += length
		return this
	}
}

function dosTime(at: number): { date: number; time: number } {
	const t = new Date(at)
	return {
		date: ((t.getUTCFullYear() - 1980) << 9) | ((t.getUTCMonth() + 1) << 5) | t.getUTCDate(),
		time: (t.getUTCHours() << 11) | (t.getUTCMinutes() << 5) | (t.getUTCSeconds() >> 1),
	}
}

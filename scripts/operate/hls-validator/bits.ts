/** Reads bits, for parameter sets of video codecs. Past the end it returns zeros. */
export class Bits {
	readonly #bytes: Uint8Array
	#at = 0

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes
	}

	read(count: number): number {
		let value = 0
		for (let i = 0; i < count; i++, this.#at++)
			value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
		return value
	}

	flag(): boolean {
		return this.read(1) === 1
	}

	/** Reads an Exp-Golomb code. */
	golomb(): number {
		let zeros = 0
		while (zeros < 32 && this.read(1) === 0) zeros++
		return 2 ** zeros - 1 + this.read(zeros)
	}

	signedGolomb(): number {
		const code = this.golomb()
		return code % 2 === 1 ? (code + 1) / 2 : -code / 2
	}
}

/** Removes emulation prevention bytes. */
export function removeEmulation(bytes: Uint8Array): Uint8Array {
	const output: number[] = []
	let zeros = 0
	for (const byte of bytes) {
		if (zeros >= 2 && byte === 3) {
			zeros = 0
			continue
		}
		zeros = byte === 0 ? zeros + 1 : 0
		output.push(byte)
	}
	return Uint8Array.from(output)
}

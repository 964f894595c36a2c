/** The field of 256 elements that QR codes use. */
const POLYNOMIAL = 0x11d

function multiply(a: number, b: number): number {
	let product = 0
	for (let bit = 7; bit >= 0; bit--) {
		product = (product << 1) ^ (product & 0x80 ? POLYNOMIAL : 0)
		if ((b >> bit) & 1) product ^= a
	}
	return product
}

/** Returns `count` bytes by which a reader of the data corrects errors. */
export function correctErrors(data: readonly number[], count: number): number[] {
	const generator = createGenerator(count)
	const rest = Array.from({ length: count }, () => 0)
	for (const byte of data) {
		const factor = byte ^ (rest.shift() ?? 0)
		rest.push(0)
		for (const [at, coefficient] of generator.entries())
			rest[at] = (rest[at] ?? 0) ^ multiply(coefficient, factor)
	}
	return rest
}

/** Returns the coefficients of (x - 1)(x - 2)(x - 4)… without the first one, which is 1. */
function createGenerator(count: number): number[] {
	let coefficients = [1]
	let root = 1
	for (let factor = 0; factor < count; factor++) {
		const shifted = [...coefficients, 0]
		coefficients = shifted.map((value, at) => value ^ multiply(coefficients[at - 1] ?? 0, root))
		root = multiply(root, 2)
	}
	return coefficients.slice(1)
}

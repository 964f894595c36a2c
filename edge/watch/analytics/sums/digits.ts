/** 64 characters that need no escape in JSON or URLs, in the order of their codes: texts sort like their numbers. */
export const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

const valuesByCode = Array.from({ length: 128 }, (_, code) => digits.indexOf(String.fromCharCode(code)))

/** Returns the value of the digit at a position. Throws at the end of the text and at other characters. */
export function decodeDigit(text: string, at: number): number {
	const value = valuesByCode[text.charCodeAt(at)] ?? -1
	if (value < 0) throw new RangeError(`there is no digit at position ${at} of ${text.length}`)
	return value
}

/** Returns a whole number as text. Each digit holds five bits, and one bit that says whether another digit follows. */
export function encodeNumber(number: number): string {
	let text = ''
	let rest = number
	for (; rest >= 32; rest = Math.floor(rest / 32)) text += digits[32 + (rest % 32)]
	return text + digits[rest]
}

/** Returns a function that reads the next number of a text. It throws at the end of the text. */
export function createNumberReader(text: string): () => number {
	let at = 0
	return () => {
		let number = 0
		for (let factor = 1; ; factor *= 32) {
			const value = decodeDigit(text, at++)
			number += (value % 32) * factor
			if (value < 32) return number
		}
	}
}

import { stripVTControlCharacters } from 'node:util'

/** What workerd, Miniflare and npm print on their own though every test passes: none of it says anything of the Worker. */
const noise: readonly RegExp[] = [
	// The local R2 refuses a range behind the end of an object this way; R2 itself answers with a code.
	/^\[mf:error\] AssertionError: false == true/,
	/^R2 error response does not contain the CF-R2-Error header/,
	// Settings that the machine's owner made for other programs.
	/^npm warn Unknown (user|project) config/,
]

/** Returns whether a line is to be printed; lines are given one after the other. */
export function noiseFilter(): (line: string) => boolean {
	let isInStack = false
	return (line) => {
		const text = stripVTControlCharacters(line)
		const isNoise = noise.some((pattern) => pattern.test(text)) || (isInStack && /^\s+at /.test(text))
		isInStack = isNoise
		return !isNoise
	}
}

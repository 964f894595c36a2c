import { stripVTControlCharacters } from 'node:util'

/** Lines that workerd, Miniflare and npm print although every test passes. None of them concerns the Worker. */
const noise: readonly RegExp[] = [
	// The local R2 rejects a range after the end of an object this way; R2 itself returns an error code.
	/^\[mf:error\] AssertionError: false == true/,
	/^R2 error response does not contain the CF-R2-Error header/,
	// A published package without its sources.
	/^Sourcemap for ".*" points to missing source files/,
	// npm settings of this machine for other programs.
	/^npm warn Unknown (user|project) config/,
]

/** Returns a function that decides for each line of an output, in order, whether to print it. */
export function noiseFilter(): (line: string) => boolean {
	let isInStack = false
	return (line) => {
		const text = stripVTControlCharacters(line)
		const isNoise = noise.some((pattern) => pattern.test(text)) || (isInStack && /^\s+at /.test(text))
		isInStack = isNoise
		return !isNoise
	}
}

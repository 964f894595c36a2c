/** What workerd and Miniflare print on their own though every test passes: none of it says anything of the Worker. */
const noise: readonly RegExp[] = [
	// The local R2 refuses a range behind the end of an object this way; R2 itself answers with a code.
	/^\[mf:error\] AssertionError: false == true/,
	/^\s+at .*(node-internal:|\/miniflare\/dist\/)/,
	/^R2 error response does not contain the CF-R2-Error header/,
	// npm's own, of settings that the machine's owner made for other programs.
	/^npm warn Unknown (user|project) config/,
]

export function isRuntimeNoise(line: string): boolean {
	return noise.some((pattern) => pattern.test(line))
}

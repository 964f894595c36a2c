/** Returns true for this machine, where connections need no encryption. */
export const isLoopback = (hostname: string): boolean =>
	hostname === 'localhost' ||
	hostname === '[::1]' ||
	hostname === '::1' ||
	/^127(\.\d{1,3}){3}$/.test(hostname)

/** The parser's normalized forms of loopback and wildcard addresses. */
export const isThisMachine = (host: string): boolean =>
	/^((.+\.)?localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[\da-f]{2}:[\da-f]+|0:0)\])$/.test(
		host,
	)

/** Browsers send 100 to 250 characters. */
const MAX_LENGTH = 256

/** Returns the beginning of `User-Agent`, or an empty text. Nothing else reads this header. */
export const readUserAgent = (headers: Headers): string =>
	(headers.get('user-agent') ?? '').slice(0, MAX_LENGTH)

/** A name, and patterns that all match. */
type Named = readonly [name: string, ...patterns: RegExp[]]

/** Order matters: most browsers also name others. */
const browsers: readonly Named[] = [
	['Edge', /\bEdgA?(?:iOS)?\//],
	['Opera', /\bOP(?:R|T|X|iOS)\/|\bOpera\b/],
	['Samsung Internet', /\bSamsungBrowser\//],
	['Firefox', /\b(?:Firefox|FxiOS)\//],
	['Chrome', /\b(?:Chrome|Chromium|CriOS)\//],
	['Safari', /\bVersion\//, /\bSafari\//],
]

/** Order matters: Android also names Linux, and iPhones also name macOS. */
const systems: readonly Named[] = [
	['iOS', /\b(?:iPhone|iPad|iPod)\b/],
	['Android', /\bAndroid\b/],
	['Windows', /\bWindows\b/],
	['macOS', /\bMacintosh\b/],
	['ChromeOS', /\bCrOS\b/],
	['Linux', /\bLinux\b/],
]

const nameIn = (names: readonly Named[], agent: string): string | null =>
	names.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(agent)))?.[0] ?? null

export const detectBrowser = (agent: string): string | null => nameIn(browsers, agent)

/** Returns a recognizable name such as “Firefox on Windows” or “curl”, or null. */
export function describeDevice(agent: string): string | null {
	const program = detectBrowser(agent) ?? /^(?!Mozilla\b)[A-Za-z][\w.-]{0,39}/.exec(agent)?.[0] ?? null
	const system = nameIn(systems, agent)
	return program && system ? `${program} on ${system}` : (program ?? system)
}

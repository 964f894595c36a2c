/** The order matters: most browsers also name others. */
const browsers: readonly [string, RegExp][] = [
	['Edge', /\bEdgA?(?:iOS)?\//],
	['Opera', /\bOP(?:R|T|X|iOS)\/|\bOpera\b/],
	['Samsung Internet', /\bSamsungBrowser\//],
	['Firefox', /\b(?:Firefox|FxiOS)\//],
	['Chrome', /\b(?:Chrome|Chromium|CriOS)\//],
	['Safari', /\bVersion\/.*\bSafari\//],
]

/** The order matters: Android also names Linux, and iPhones also name macOS. */
const systems: readonly [string, RegExp][] = [
	['iOS', /\b(?:iPhone|iPad|iPod)\b/],
	['Android', /\bAndroid\b/],
	['Windows', /\bWindows\b/],
	['macOS', /\bMacintosh\b/],
	['ChromeOS', /\bCrOS\b/],
	['Linux', /\bLinux\b/],
]

const nameIn = (names: readonly [string, RegExp][], agent: string): string | null =>
	names.find(([, pattern]) => pattern.test(agent))?.[0] ?? null

export const browserOf = (agent: string): string | null => nameIn(browsers, agent)

/** Returns a name that people recognize, such as “Firefox on Windows” or “curl”, or null. */
export function deviceNameOf(agent: string): string | null {
	const program = browserOf(agent) ?? /^(?!Mozilla\b)[A-Za-z][\w.-]{0,39}/.exec(agent)?.[0] ?? null
	const system = nameIn(systems, agent)
	return program && system ? `${program} on ${system}` : (program ?? system)
}

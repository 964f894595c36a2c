/** The rest of a path after its beginning: with spaces up to an extension, else up to a space. */
const SPACED = String.raw`[^\n"<>|:;]{0,1000}\.(?=\d*[a-z])[a-z0-9]{1,5}(?!\w)`
const UNSPACED = String.raw`[^\s"<>|:;,()]+`
/** Also what folding left of a name with spaces. */
const paths = [
	new RegExp(`<path>(?= )${SPACED}`, 'giu'),
	new RegExp(String.raw`(?:(?<![\p{L}\p{N}])[a-z]:[\\/]|\\\\(?=\w))(?:${SPACED}|${UNSPACED})`, 'giu'),
	new RegExp(String.raw`(?<![\p{L}\p{N}_/])/(?=[^\s/])(?:${SPACED}|[^\s/"<>|:;,()]+/${UNSPACED})`, 'giu'),
]

/** The words in names of secrets, without `keyframe`, `keyint`, `tokens`, `signal`, `sign` and the like. */
const secretName =
	/token(?!s)|(?<!de|as)sig(?!nal|ht|n(?!a))|(?<!mon|don|tur)key(?!frame|int|board)|(?<!by)pass(?:w|phrase|code|$)|pwd|secret|credential|session|cookie|\bauth(?:$|orization)|[_-]auth$|(?:^|[_-])otp$/i
/** Up to white space, or to a separator before the next pair. A quotation mark at the end may be cut off. */
const VALUE = String.raw`(?:(?:bearer|basic|token)\s+[^\s"'<>]+|"[^"\n]{1,500}"?|'[^'\n]{1,500}'?|(?!\[(?:address|credential|mail address)\])[^\s"'<>,;&]+(?:[,;&][^\s"'<>,;&=:]+(?![^\s"'<>,;&]*[=:]))*)`

/**
 * Matches texts that look like a secret or name somebody, whatever surrounds them. The order matters. A match begins
 * only where a word begins, so that no text takes quadratic time.
 */
const patterns: readonly [RegExp, string | ((found: string, name: string, separator: string) => string)][] = [
	[/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, '[address]'],
	[/(?<![\p{L}\p{N}:/])\/\/(?=[\p{L}\p{N}[])[^\s"'<>]+/gu, '[address]'],
	[/(?<![^\s"'<>@])[^\s"'<>@:]+:[^\s"'<>@]+@[^\s"'<>@]+/g, '[credential]'],
	[/"[^"\n]{1,200}"@[^\s"'<>@]+/g, '[mail address]'],
	[/(?<![^\s"'<>@:])[^\s"'<>@:]+@[^\s"'<>@]+/g, '[mail address]'],
	[/[?#&][^\s"'<>=?#&]{1,200}=[^\s"'<>]*/g, '[query]'],
	[/\b(?:bearer|basic)\s+[\w.~+/=-]+/gi, '[credential]'],
	[
		new RegExp(String.raw`(?<![\w.-])([\w.-]+)(["']?\s{0,3}[=:]\s{0,3})${VALUE}`, 'gi'),
		(found, name, separator) => (secretName.test(name) ? `${name}${separator}[secret]` : found),
	],
	[/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
	[/\b(?:phk|whsec|sk|pk|rk|ghp|github_pat|xox[a-z])[_-][\w=+/-]{8,}/g, '[key]'],
	[/\b(?:AKIA|ASIA)[0-9A-Z]{8,}\b/g, '[key]'],
	[/\bAIza[\w-]{6,}/g, '[key]'],
	[/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, '[IP address]'],
	[/\b(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\b/gi, '[IP address]'],
	[
		/(?<![\w:])(?=:*[0-9a-f])(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?(?:%\w+)?(?![\w:])/gi,
		'[IP address]',
	],
	...paths.map((path): [RegExp, string] => [path, '[path]']),
	[
		/(?<![\p{L}\p{N}_./@-])(?:[\p{L}\p{N}_-]+\.)+(?:\p{L}{2,63}|xn--[a-z0-9-]+)(?![\p{L}\p{N}_-])(?:\/[^\s"'<>]*)?/giu,
		'[host]',
	],
	[/(?<![\w-])[\w+/=-]{32,}(?![\w-])/g, '[long code]'],
]

const REDACTED = '[secret]'
/** Longer texts would take the patterns long. */
const LONGEST = 2_000
/** Shorter values would remove ordinary words. */
const MIN_SECRET_LENGTH = 6

/** Returns a value of JSON in which every text is redacted. `secrets` are removed wherever they appear. */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const known = secrets
		.flatMap(formsOf)
		.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
		.toSorted((a, b) => b.length - a.length)
	return redactValue(value, (text) =>
		patterns.reduce(
			(redacted, [pattern, name]) => redacted.replaceAll(pattern, name as string),
			known.reduce((left, secret) => left.replaceAll(secret, REDACTED), text).slice(0, LONGEST),
		),
	) as T
}

/** A secret may also appear as in a URL, or as the password of its URL. */
function formsOf(secret: string): string[] {
	const { password = '', username = '', hostname = '' } = URL.canParse(secret) ? new URL(secret) : {}
	const parts = [password, username, hostname].flatMap((part) => [part, decodeSafely(part)])
	return [secret, encodeURIComponent(secret), ...parts]
}

function decodeSafely(text: string): string {
	try {
		return decodeURIComponent(text)
	} catch {
		return text
	}
}

function redactValue(value: unknown, redactText: (text: string) => string): unknown {
	if (typeof value === 'string') return redactText(value)
	if (Array.isArray(value)) return value.map((item) => redactValue(item, redactText))
	if (typeof value !== 'object' || value === null) return value
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => [name, redactValue(item, redactText)]),
	)
}

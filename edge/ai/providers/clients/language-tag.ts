/** The languages of Whisper. Other providers know a part of them. */
const codes =
	'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'.split(
		' ',
	)

/** Names that differ from Unicode's. */
const aliases: Record<string, string> = {
	mandarin: 'zh',
	cantonese: 'yue',
	castilian: 'es',
	valencian: 'ca',
	flemish: 'nl',
	haitian: 'ht',
	letzeburgesch: 'lb',
	moldavian: 'ro',
	moldovan: 'ro',
	panjabi: 'pa',
	punjabi: 'pa',
	pushto: 'ps',
	sinhalese: 'si',
	myanmar: 'my',
	nynorsk: 'nn',
	tagalog: 'tl',
	maori: 'mi',
	javanese: 'jv',
	bengali: 'bn',
	farsi: 'fa',
}

/** Codes that predate BCP 47. */
const replaced: Record<string, string> = { jw: 'jv', iw: 'he', in: 'id' }

const names = new Intl.DisplayNames('en', { type: 'language' })
const byName = new Map([
	...codes.map((code) => [names.of(code)?.toLowerCase() ?? code, code] as const),
	...Object.entries(aliases),
])

/**
 * Parses a provider's name for a language (`english`, `en`, `en_us` or `pt-br`) to a BCP 47 tag; null for other
 * texts.
 */
export function parseLanguageTag(text: unknown): string | null {
	if (typeof text !== 'string') return null
	const name = text.trim().toLowerCase()
	const code = byName.get(name) ?? name.replaceAll('_', '-')
	if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/.test(code) || ['und', 'auto', 'multi'].includes(code)) return null
	const [primary = '', ...rest] = code.split('-')
	try {
		return Intl.getCanonicalLocales([replaced[primary] ?? primary, ...rest].join('-'))[0] ?? null
	} catch {
		return null
	}
}

/** Returns the code that Whisper's servers know: the first part of a tag. */
export const toWhisperCode = (tag: string): string => tag.split('-')[0] ?? tag
